package watch

import (
	"fmt"
	"time"

	"wiretea/session/text"
)

type (
	// A State says what a Watcher does.
	State struct {
		Phase   Phase
		Since   time.Time
		For     time.Duration // For is how long the phase has gone on; 0 if nothing is done.
		Named   string        // Named is what is watched, as it was named; empty if folders are watched.
		Folders int           // Folders is how many folders that is, with those below; 0 if only files are watched.
		Builds  bool          // Builds: there is a build command.
		Failed  bool          // Failed: the latest build failed, and the server is an old one.
		Off     bool          // Off: the watching is turned off.
	}

	// A Phase is a step of a round.
	Phase uint8

	// Built is the outcome of a build.
	Built struct {
		Command string
		Output  []byte // Output is what it wrote to stdout and stderr, as it came.
		Cut     int64  // Cut is how many bytes are missing in the middle of Output, at At.
		At      int
		Code    int
		Signal  string // Signal ended it; empty if none did.
		Took    time.Duration
		Err     error // Err is why the build could not be run; nil if it was.
	}
)

const (
	Idle Phase = iota
	Building
	Restarting
	Calling
	Over // Over: nothing is watched any more.
)

// OK reports whether the build succeeded.
func (b *Built) OK() bool { return b.Err == nil && b.Code == 0 && b.Signal == "" }

// String returns the outcome and the time that it took: "build ok 1.2 s".
func (b *Built) String() string {
	took := text.Duration(int64(b.Took))
	switch {
	case b.Err != nil:
		return "build not run: " + b.Err.Error()
	case b.Signal != "":
		return fmt.Sprintf("build ended by a signal (%s), %s", b.Signal, took)
	case b.Code != 0:
		return fmt.Sprintf("build failed, exit code %d, %s", b.Code, took)
	}
	return "build ok " + took
}
