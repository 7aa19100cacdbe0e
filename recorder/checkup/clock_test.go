package checkup

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestClock holds a clock twice: the time meanwhile does not count.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		over := make(chan time.Duration, 1)
		c := NewClock(10*time.Second, func() { over <- time.Since(begun) })
		for range 2 {
			time.Sleep(4 * time.Second)
			c.Hold(true)
			time.Sleep(time.Minute)
			c.Hold(false)
		}
		if got := <-over; got != 2*time.Minute+10*time.Second {
			t.Errorf("over after %v", got)
		}
		c.Hold(true)
	})
}
