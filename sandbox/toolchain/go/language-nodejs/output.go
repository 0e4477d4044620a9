package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"google.golang.org/grpc"
)

// onlyWriter hides that a writer is a file, so that a child gets a pipe of its own instead of that file.
type onlyWriter struct{ io.Writer }

// serialStream lets the two outputs of one process share a stream: gRPC allows only one Send at a time.
type serialStream[T any] struct {
	grpc.ServerStreamingServer[T]
	mu sync.Mutex
}

// Send sends one message, after those of other goroutines.
func (s *serialStream[T]) Send(message *T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ServerStreamingServer.Send(message)
}

// outOfMemory is in what node prints before it dies for want of heap; its exit code alone says only "aborted".
var outOfMemory = []byte("JavaScript heap out of memory")

// memorySniffer passes output on and remembers whether node complained about its memory.
type memorySniffer struct {
	to   io.Writer
	tail []byte
	seen atomic.Bool
}

// Write passes p on. The end of what came before is kept, because the words may be split over two writes.
func (m *memorySniffer) Write(p []byte) (int, error) {
	window := append(m.tail, p...)
	if bytes.Contains(window, outOfMemory) {
		m.seen.Store(true)
	}
	keep := min(len(window), len(outOfMemory)-1)
	m.tail = append([]byte(nil), window[len(window)-keep:]...)
	return m.to.Write(p)
}

// explainExit turns the end of a process into words. The ExitError stays inside for callers that look for a code.
func explainExit(what string, err error, memory *memorySniffer) error {
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return err
	}
	hint := ""
	if memory != nil && memory.seen.Load() {
		hint = "\n  Node ran out of memory. Set `nodeargs: --max-old-space-size=<MB>` under `runtime.options`, " +
			"or NODE_OPTIONS in the environment."
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitFailure{fmt.Sprintf("%s was ended by a signal: %v%s", what, status.Signal(), hint), err}
	}
	return exitFailure{fmt.Sprintf("%s exited with code %d%s", what, exit.ExitCode(), hint), err}
}

// exitFailure shows only its message; the cause behind it ("exit status 1") would say the same again.
type exitFailure struct {
	message string
	cause   error
}

func (e exitFailure) Error() string { return e.message }
func (e exitFailure) Unwrap() error { return e.cause }
