package timeline

import (
	"strconv"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
)

// A moment is a session when n rows had come and its clock was at clock, in
// nanoseconds.
type moment struct {
	n     uint32
	clock int64
}

// A step leads from a moment to another one. It is taken in a command.
type step func(h *session.History, from moment) arrival

// An arrival is where a step has led.
type arrival struct {
	moment
	row  uint32 // row is to be selected; NoRow = the latest.
	why  string // why says why there is nothing to go to, empty = there is.
	stay bool   // stay: the selection stays where a person has put it.
}

// back goes to the frame before; where time has passed since the latest one, to that.
func back(h *session.History, from moment) arrival {
	switch {
	case from.n > 0 && from.clock > h.TimeAt(from.n):
		return latest(h, from.n)
	case from.n <= 1:
		return arrival{why: "this is the first frame"}
	}
	return latest(h, from.n-1)
}

func on(h *session.History, from moment) arrival {
	if int(from.n) >= h.Len() {
		return arrival{why: "this is the last frame"}
	}
	return latest(h, from.n+1)
}

// filtered goes to the next frame that a filter lets through in the whole session, or the one
// before.
func filtered(through func(s *session.Snapshot, row uint32) bool, dir int) step {
	return func(h *session.History, from moment) arrival {
		i := int(from.n)
		if dir < 0 {
			i -= 2
			if from.n > 0 && from.clock > h.TimeAt(from.n) {
				i++
			}
		}
		for ; i >= 0 && i < h.Len(); i += dir {
			if through(h.Whole(), uint32(i)) {
				return latest(h, uint32(i)+1)
			}
		}
		return nothing(dir, "no frame before this matches the filter", "no frame after this matches the filter")
	}
}

// latest is the moment at which the n-th row came.
func latest(h *session.History, n uint32) arrival {
	return arrival{moment: moment{n, h.TimeAt(n)}, row: session.NoRow}
}

// toRow goes to when a row came, and selects it.
func toRow(row uint32) step {
	return func(h *session.History, _ moment) arrival {
		a := latest(h, min(row, uint32(max(1, h.Len())-1))+1)
		a.row = row
		return a
	}
}

// toTime goes to a time, in nanoseconds; relative to where it goes from with by.
func toTime(t int64, by bool) step {
	return func(h *session.History, from moment) arrival {
		if by {
			t += from.clock
		}
		t = max(0, min(t, h.Whole().Clock()))
		return arrival{moment: moment{h.RowsAt(t), t}, row: session.NoRow}
	}
}

// toOperation goes to where the next operation ends, or back to where the one before
// did.
func toOperation(dir int) step {
	return func(h *session.History, from moment) arrival {
		i, n := int(from.n), h.Len()
		if dir < 0 {
			i -= 2
		}
		for ; i >= 0 && i < n; i += dir {
			if h.Ends(uint32(i)) {
				return latest(h, uint32(i)+1)
			}
		}
		return nothing(dir, "no operation ended before this", "no operation ends after this")
	}
}

// nothing is where there is nothing to go to in a direction.
func nothing(dir int, before, after string) arrival {
	if dir < 0 {
		return arrival{why: before}
	}
	return arrival{why: after}
}

// toFinding goes to when something was found next, or before.
func toFinding(dir int) step {
	return func(h *session.History, from moment) arrival {
		if n, clock, row, ok := h.Finding(from.n, from.clock, dir); ok {
			return arrival{moment: moment{n, clock}, row: row}
		}
		return nothing(dir, "nothing was found before this", "nothing is found after this")
	}
}

// toMark goes to the next row of a list, or the one before.
func toMark(rows []uint32, dir int) step {
	return func(h *session.History, from moment) arrival {
		for k := range rows {
			row := rows[k]
			if dir < 0 {
				row = rows[len(rows)-1-k]
			}
			if dir > 0 && row >= from.n || dir < 0 && row+1 < from.n {
				return toRow(row)(h, from)
			}
		}
		return nothing(dir, "no mark before this", "no mark after this")
	}
}

// mostProgress is of how many exchanges that wait the progress is read.
const mostProgress = 16

// readProgress reads how far the exchanges of a moment had come: that stands in the
// bodies of notifications. What cannot be read is not shown.
func readProgress(snap *session.Snapshot, log recorder.Log) {
	if !snap.Past() {
		return
	}
	left := mostProgress
	for _, c := range snap.Conns() {
		for _, list := range c.Open {
			for _, x := range list {
				if x.Progress == 0 || left == 0 {
					continue
				}
				left--
				const most = 4 << 10
				body, err := recorder.ReadFrame(log, snap.Row(x.LastNote), 0, most)
				if err != nil {
					continue
				}
				jsonrpc.Scan(body, func(m *jsonrpc.Message) {
					x.Done, x.Total = amount(m.Field(jsonrpc.ParamProgress)), amount(m.Field(jsonrpc.ParamTotal))
				})
			}
		}
	}
}

// amount reads a JSON number; 0 where there is none.
func amount(v *jsonrpc.Value) float64 {
	if v.Type != jsonrpc.Number {
		return 0
	}
	n, err := strconv.ParseFloat(string(v.Raw), 64)
	if err != nil {
		return 0 // too large for any sense
	}
	return n
}
