package redact_test

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // The tests make much garbage and keep little.
	os.Exit(m.Run())
}
