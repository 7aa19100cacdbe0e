package capture

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"wiretea/recorder/recordertest"
)

func TestMain(m *testing.M) {
	remove, err := recordertest.OwnHome()
	if err := errors.Join(err, recordertest.WaitingTests()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(800) // The tests make much garbage and keep little.
	code := m.Run()
	remove()
	os.Exit(code)
}
