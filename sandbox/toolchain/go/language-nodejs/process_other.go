//go:build !linux

package main

import "os/exec"

// dieWithParent has no counterpart outside of Linux; there the engine's own clean-up has to do.
func dieWithParent(*exec.Cmd) {}

// endProcessGroup is left to the engine outside of Linux.
func endProcessGroup() {}
