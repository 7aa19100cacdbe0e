package compare

import (
	"errors"

	"wiretea/recorder"
	"wiretea/session"
)

// farOff is how many rows away the other one of an original and its replacement is looked
// for.
const farOff = 1 << 16

// errCrossed is said of a row that has no other one.
var errCrossed = errors.New("the message crossed as it came; is:decided shows those that did not")

// Replaced reads which row took the place of one that did not cross, or which one it took
// the place of: its replacement, or the answer that the sender of a stopped request got
// instead.
func Replaced(snap *session.Snapshot, log recorder.Log, row uint32) (uint32, error) {
	r := snap.Row(row)
	if r.Flags&session.FlagDecided == 0 {
		return session.NoRow, errCrossed
	}
	bodies := recorder.NewBodies(log)
	rec := bodies.Record(r.Off)
	if rec == nil {
		return session.NoRow, errors.New("the row cannot be read")
	}
	n, of := rec.N, rec.Of
	if of != 0 {
		for i := row; i > 0 && row-i < farOff; {
			if i--; uint64(snap.Row(i).N) == of {
				return i, nil
			}
		}
		return session.NoRow, errors.New("the message whose place it took is not in the recording")
	}
	for i := row + 1; i < uint32(snap.Len()) && i-row < farOff; i++ {
		next := snap.Row(i)
		if next.Flags&session.FlagDecided == 0 {
			continue
		}
		if rec := bodies.Record(next.Off); rec != nil && rec.Of == n {
			return i, nil
		}
	}
	return session.NoRow, errors.New("nothing took its place")
}
