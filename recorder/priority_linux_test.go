package recorder

import (
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLowerPriority holds that the priority is lowered from where the process has it: by a
// fixed number, a recorder would starve beside traffic of a high priority, and go before
// that of a low one.
func TestLowerPriority(t *testing.T) {
	nice := func(own int) (before, after int) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // and it ends with the goroutine
			if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), own); err != nil {
				t.Error(err)
				return
			}
			raw, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
			before = 20 - raw
			if !lowerPriority() {
				t.Error("not lowered")
			}
			raw, _ = unix.Getpriority(unix.PRIO_PROCESS, 0)
			after = 20 - raw
			if attr, err := unix.SchedGetAttr(0, 0); err != nil || attr.Policy != unix.SCHED_BATCH || int(attr.Nice) != after {
				t.Errorf("the thread has %+v, %v", attr, err)
			}
		}()
		<-done
		return before, after
	}
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	process := 20 - raw
	for _, own := range []int{7, 12, 17} {
		if own < process {
			continue // Only root raises a priority.
		}
		if before, after := nice(own); before != own || after != min(own+niceness, 19) {
			t.Errorf("from %d to %d, with %d", before, after, own)
		}
	}
	if out, err := exec.Command("nice").Output(); err == nil && strings.TrimSpace(string(out)) != strconv.Itoa(process) {
		t.Errorf("the priority of the process was %d and is %s", process, out)
	}
}
