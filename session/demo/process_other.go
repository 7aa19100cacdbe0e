//go:build !unix

package demo

import "os/exec"

// ignoreTerm does nothing where there is no SIGTERM.
func ignoreTerm(*server) {}

// detach does nothing where there are no sessions.
func detach(*exec.Cmd) {}
