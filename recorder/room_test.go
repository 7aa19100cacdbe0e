package recorder

import (
	"errors"
	"testing"

	"wiretea/session"
)

// A crowdedFile is a medium on a disk whose free space a test sets.
type crowdedFile struct {
	fakeFile
	disk int64 // disk is how much of the disk is free, besides what the file takes.
}

func (f *crowdedFile) Room() (free, spare int64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.disk - int64(len(f.data)), 1000, true
}

// TestSpareRoom records onto a disk that gets full: the file ends before the spare room
// does, with a gap that has the rest and an end record; and it goes on once there is room
// again.
func TestSpareRoom(t *testing.T) {
	for name, freed := range map[string]bool{"stays full": false, "is freed": true} {
		t.Run(name, func(t *testing.T) {
			f := &crowdedFile{fakeFile: fakeFile{limit: -1}, disk: 5000}
			sink := newFileSink("x", f, nil)
			sink.Unread()
			now := int64(0)
			w := NewWriter(sink, header(), Options{Now: func() int64 { return now }})
			put := func(n int) {
				for i := range n {
					w.observe(&session.Observation{Kind: session.ObsBytes, Conn: 1, Stream: session.S2C, Data: []byte(line(i))})
					w.commit()
				}
			}
			put(100)
			if free, spare, _ := f.Room(); free < spare || sink.Reason() == nil {
				t.Errorf("%d bytes are left, reason %v", free, sink.Reason())
			}
			if freed {
				f.disk = 1 << 30
				now += syncEvery
				w.retryFile(false)
				put(1)
			}
			w.close(nil)
			var frames, gap, lost int64
			for _, rec := range mustRead(t, f.data) {
				switch rec.Kind {
				case session.RecFrame:
					frames++
				case session.RecGap:
					gap += rec.Gap.Bytes
				case session.RecEnd:
					lost = rec.End.Lost
				}
			}
			if want := map[bool]int64{true: 101, false: 100}[freed]; frames*100+gap != want*100 || gap == 0 || lost != gap {
				t.Errorf("%d frames, %d bytes missing, %d lost at the end", frames, gap, lost)
			}
		})
	}
}

// TestRoomOfParts writes long bodies in place whenever there is room for them: the room is
// looked at on the way.
func TestRoomOfParts(t *testing.T) {
	const size = roomStep / 4
	d := &disk{f: &crowdedFile{fakeFile: fakeFile{limit: -1}, disk: 10*size + 1000}}
	parts := [][]byte{make([]byte, size-1), []byte("\n")}
	for i := range 10 {
		if !d.appendParts(parts) {
			t.Errorf("body %d was not written in place", i)
		}
	}
	if d.appendParts(parts) || d.append(parts[1]) != 0 || !errors.Is(d.err, errNoRoom) {
		t.Errorf("into the spare room: %v", d.err)
	}
}
