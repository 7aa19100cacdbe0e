package capture

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"wiretea/recorder/recordertest"
)

func TestMain(m *testing.M) {
	if err := recordertest.WaitingTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(800) // The tests make much garbage and keep little.
	os.Exit(m.Run())
}
