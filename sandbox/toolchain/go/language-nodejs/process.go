package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// interruptGrace is how long a process may take to end after an interrupt before it is killed.
const interruptGrace = 4 * time.Second

// launches are run one after another on one operating system thread that lives as long as the host. Linux sends the
// parent death signal when the *thread* that forked goes away, and Go is free to end any other thread.
var launches = make(chan func())

func init() {
	go func() {
		runtime.LockOSThread()
		for launch := range launches {
			launch()
		}
	}()
}

// command prepares a process that cannot outlive ctx or this host: it is interrupted when ctx ends and killed a little
// later, it stays in the host's process group (which the engine ends as a whole), and the kernel kills it if the host
// itself is killed.
func (h *host) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	// Wait also waits for the output's end, which a grandchild may hold open; this bounds that as well.
	cmd.WaitDelay = interruptGrace
	dieWithParent(cmd)
	return cmd
}

// start is cmd.Start on the thread that the parent death signal is bound to.
func start(cmd *exec.Cmd) error {
	started := make(chan error, 1)
	launches <- func() { started <- cmd.Start() }
	return <-started
}
