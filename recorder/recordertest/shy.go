package recordertest

import (
	"bytes"
	"context"
	"os"
	"time"
)

// Shy makes a call of a client that gives up soon after a fault was injected: 700 ms
// after file, a record, says so, and after two minutes where it never does or file is
// empty. A fault that leaves a call without an answer ends it so, however slow the machine
// is.
func Shy(ctx context.Context, file string, call func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(`"by":"fault: `)) {
				defer time.AfterFunc(700*time.Millisecond, cancel).Stop()
				<-ctx.Done()
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	}()
	err := call(ctx)
	cancel()
	<-looked
	return err
}
