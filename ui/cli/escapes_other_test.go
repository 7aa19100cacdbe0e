//go:build !unix

package cli

import "testing"

func atTerminal(*testing.T, ...string) (string, bool) { return "", false }

func plainTerminal(*testing.T) {}
