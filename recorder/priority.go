package recorder

import (
	"fmt"
	"runtime"
)

// With Options.Yield the recorder has a lower priority than the traffic, until raiseFrom bytes wait; then it has the ordinary one until
// no more than lowerFrom wait, and for the end, which somebody waits for. The machine may
// be busy with other work for long, and what waits is in memory.
const (
	raiseFrom = 2 << 20
	lowerFrom = 256 << 10
)

// yield records with the lower priority while little waits, and with the ordinary one
// while much does. It reports false, and has recorded nothing, where a thread cannot have
// a priority of its own.
//
// A thread may lower its priority, but not raise it again. So the recorder moves: each time
// it begins a goroutine with a thread of its own, which ends with it.
func (w *Writer) yield(src Source) (done bool, err error) {
	// With a thread of its own the system gives it its part of a busy CPU, however many
	// goroutines the traffic has.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		lowered := true
		var failed any
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { failed = recover() }()
			if lowered = lowerPriority(); lowered {
				w.yields = true
				defer func() { w.yields = false }()
				done, err = w.record(src, func(backlog int64) bool { return backlog < raiseFrom && !w.expedited.Load() })
			}
		}()
		<-ended
		if failed != nil {
			panic(fmt.Sprint(failed))
		}
		if done || !lowered {
			return done, err
		}
		if done, err = w.record(src, func(backlog int64) bool { return backlog > lowerFrom || w.expedited.Load() }); done {
			return true, err
		}
	}
}

// giveWay is called before each write of records.
func (w *Writer) giveWay() {
	if w.yields {
		giveWay()
	}
}
