package session

import "slices"

// counts are the counters of a session up to one of its rows.
type counts struct {
	totals Totals // totals lack what depends on time: Late, Lost, and the lost part of Pending.
	alive  []connCounts
}

// connCounts are the counters of a connection.
type connCounts struct {
	conn   uint16
	index  int // index is its index among the connections.
	first  [3]int64
	last   [3]int64
	frames [3]int64
	bytes  [3]int64
	gaps   [3]bool

	trips                  int64
	openTrips, openStreams int
}

func (t *counts) clone() counts { return counts{t.totals, slices.Clone(t.alive)} }

// forget drops the connections that ended before n rows: their last state is
// known.
func (t *counts) forget(h *History, n uint32) {
	t.alive = slices.DeleteFunc(t.alive, func(c connCounts) bool {
		over := h.overIndex(int(c.conn))
		return over >= 0 && h.overs[over].Rows < n
	})
}

// of returns the counters of a connection, nil if there are too many.
func (t *counts) of(h *History, conn uint16) *connCounts {
	for i := len(t.alive) - 1; i >= 0; i-- {
		if t.alive[i].conn == conn {
			return &t.alive[i]
		}
	}
	index := h.connIndex(int(conn))
	if len(t.alive) == mostAlive || index < 0 {
		return nil
	}
	t.alive = append(t.alive, connCounts{conn: conn, index: index, first: [3]int64{-1, -1, -1}, last: [3]int64{-1, -1, -1}})
	return &t.alive[len(t.alive)-1]
}

// add counts row i.
func (t *counts) add(h *History, i uint32, r *Row) {
	c := t.of(h, r.Conn)
	switch r.Kind {
	case RowIO, RowProc:
		return
	case RowTrip, RowTripResponse, RowTripEnd:
		if c != nil {
			c.trip(r, h.whole.TripRow(i))
		}
		return
	case RowGap:
		if h.whole.Name(r.Target) != "damage" {
			t.totals.Gap += int64(r.Len)
		}
		t.totals.Damaged += int64(r.Skip)
		switch {
		case c == nil:
		case r.Flags&FlagAnyStream != 0:
			c.gaps = [3]bool{true, true, true}
		case r.Stream <= Stderr:
			c.gaps[r.Stream] = true
		}
		return
	case RowRequest:
		t.totals.Exchanges++
		t.totals.Pending++
		if r.Way == WayOut {
			t.totals.Outstanding++
		}
	case RowResult, RowError:
		t.answer(h, i, r)
	case RowNotification:
		if r.Pair < i && to(h.cancels, r.Pair) == i {
			t.totals.Pending--
			t.totals.Cancelled++
		}
	}
	t.frame(c, r)
}

// trip counts a row of a round trip, whose request's head is row req.
func (c *connCounts) trip(r *Row, req uint32) {
	switch {
	case r.Kind == RowTrip:
		c.trips++
		c.openTrips++
	case r.Kind == RowTripEnd:
		c.openTrips--
		c.openStreams--
	case r.Pair == req:
		c.openTrips--
	default:
		c.openStreams++
	}
}

// answer counts a response to a request that waited, or was cancelled.
func (t *counts) answer(h *History, i uint32, r *Row) {
	req, ok := h.answers(i, r)
	if !ok {
		return
	}
	if req.Flags&FlagCancelled != 0 && to(h.cancels, r.Pair) < i {
		t.totals.Cancelled--
	} else {
		t.totals.Pending--
	}
	if r.Failed() {
		t.totals.Errors++
	}
	if req.Way == WayOut {
		t.totals.Outstanding--
	}
}

// frame counts the frame of a row.
func (t *counts) frame(c *connCounts, r *Row) {
	if r.Stream > Stderr {
		return
	}
	n := int64(r.Len)
	if r.Flags&FlagUnterminated == 0 {
		n++
	}
	t.totals.Frames[r.Stream]++
	if r.Flags&FlagDecided != 0 && r.Way == WayIn {
		t.totals.Decided++
	}
	t.totals.Bytes[r.Stream] += n
	if c == nil {
		return
	}
	if c.first[r.Stream] < 0 {
		c.first[r.Stream] = r.begin()
	}
	c.last[r.Stream] = r.T
	c.frames[r.Stream]++
	c.bytes[r.Stream] += n
}

// begin returns when the row came, in nanoseconds: for a frame that came in
// pieces, its first piece.
func (r *Row) begin() int64 {
	if r.Flags&FlagRaw == 0 {
		return r.T
	}
	return max(0, r.T-int64(r.Dur)*1000)
}
