package capture

import (
	"fmt"
	"os"
	"testing"

	"wiretea/recorder/recordertest"
)

func TestMain(m *testing.M) {
	if err := recordertest.WaitingTests(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
