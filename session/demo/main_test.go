package demo

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain makes the test binary the demo program when it is started as one, for
// the tests that need real processes.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "demo" && os.Args[2] == "--server" {
		os.Exit(Serve(context.Background(), os.Args[3], os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}
