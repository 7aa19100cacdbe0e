//go:build !unix

package watch

import (
	"os"
	"os/exec"
)

// buildShell is what a build command is given to.
var buildShell = []string{"cmd", "/C"}

func ofItsOwn(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}

func signalOf(*os.ProcessState) string { return "" }
