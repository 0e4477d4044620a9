package main

import (
	"os"
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel kill the process when the host is gone, however that happened.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// endProcessGroup kills what is left of the host's process group, such as a grandchild that ignored the interrupt. The
// host first steps over to its parent's group, so that it can end with its own exit code. A host that does not lead a
// group (one that was started by hand) has no group to end.
func endProcessGroup() {
	group := os.Getpid()
	if syscall.Getpgrp() != group {
		return
	}
	// This fails when the engine is dead; then nobody reads the exit code, and the host may die with its group.
	if parents, err := syscall.Getpgid(os.Getppid()); err == nil {
		_ = syscall.Setpgid(0, parents)
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
}
