package session

import (
	"cmp"
	"slices"
	"sort"
)

// A Snapshot is the state of the session at one moment. It never changes and
// may be read from any goroutine. The zero Snapshot is an empty session.
type Snapshot struct {
	chunks   []*chunk
	trips    []*tripChunk
	n        uint32
	names    []string
	ids      idTexts
	marks    []mark
	aparts   []apart
	findings []Finding
	conns    []Conn
	header   *Header
	only     int       // only is the session of a merged log that is shown, from 1; 0 = all are.
	members  []*Header // members are the headers of a merged log's sessions; nil where one was not read.
	end      *End
	totals   Totals
	methods  []MethodStats
	clock    int64
	inPath   []PathEvent
	marked   []uint32
}

// Totals are the sums over a session.
type Totals struct {
	Frames  [3]int64 // Frames counts the frames of each stream.
	Bytes   [3]int64 // Bytes counts the bytes of each stream, terminators included.
	Gap     int64    // Gap is how many bytes were seen and not stored.
	Decided int64    // Decided counts the messages that did not cross as they came, or when they came, by the decision of a policy, a fault or a person.

	Damaged int64 // Damaged counts the lines of the file that are not records.
	Torn    int64 // Torn is how many bytes of a record the file ends with that was never finished.

	Exchanges int64 // Exchanges counts the requests of both sides.
	Pending   int64 // Pending are those not answered, not cancelled, and not lost.
	Errors    int64 // Errors are those whose response says that they failed, see Row.Failed.
	Cancelled int64 // Cancelled are those that were cancelled and had no answer.
	Late      int64 // Late are those whose timeout passed before the response, or has passed now.
	Lost      int64 // Lost are those whose connection ended without an answer.

	// Outstanding are the injected requests (WayOut) that may still be
	// answered: not answered, though perhaps cancelled, on a connection that
	// has not ended. While there are any, the tee is not transparent: it
	// forwards the server's stdout line by line.
	Outstanding int64

	Findings [4]int64 // Findings counts the distinct findings by Severity.
	Repeats  int64    // Repeats counts the reports that were merged into them.
	Dropped  int64    // Dropped counts the reports beyond MaxFindings distinct ones.
}

// InPath returns what decides on messages at the end of the session, each with the event
// that switched it on or changed it. Where its file was changed since and cannot be used, the
// PathBroken event that says why comes behind.
func (s *Snapshot) InPath() []PathEvent { return s.inPath }

// Len returns the number of rows.
func (s *Snapshot) Len() int { return int(s.n) }

// Row returns row i. A number beyond the end, such as NoRow, gives an empty row.
func (s *Snapshot) Row(i uint32) Row {
	if i >= s.n {
		return Row{Pair: NoRow}
	}
	return *s.Peek(i)
}

// Peek returns row i, which must exist, without a copy: it is meant for what looks at a
// million rows. The row must not be changed.
func (s *Snapshot) Peek(i uint32) *Row { return &s.chunks[i>>chunkBits][i%chunkRows] }

// Marked returns the same session in which those rows, in ascending order, are
// marked. The slice must not be changed.
func (s *Snapshot) Marked(rows []uint32) *Snapshot {
	t := *s
	t.marked = rows
	return &t
}

// IsMarked reports whether row i is marked.
func (s *Snapshot) IsMarked(i uint32) bool {
	_, marked := slices.BinarySearch(s.marked, i)
	return marked
}

// LastMark returns the time of the last marked row that does not come later, as late says of
// times; false where there is none.
func (s *Snapshot) LastMark(late func(t int64) bool) (at int64, ok bool) {
	n := sort.Search(len(s.marked), func(i int) bool { return s.marked[i] >= uint32(s.Len()) || late(s.Peek(s.marked[i]).T) })
	if n == 0 {
		return 0, false
	}
	return s.Peek(s.marked[n-1]).T, true
}

// Name returns the text of an interned name, Row.Method or Row.Target. It is
// "…" if there were too many names to store.
func (s *Snapshot) Name(n uint32) string {
	if n < uint32(len(s.names)) {
		return s.names[n]
	}
	return ""
}

// ID returns the raw text of a row's id, cut at jsonrpc.MaxCapture bytes; empty
// if it has none.
func (s *Snapshot) ID(r Row) string { return s.ids.text(r.ID) }

// Findings returns the findings in the order in which they were first reported.
// The slice must not be changed.
func (s *Snapshot) Findings() []Finding { return s.findings }

// RowFindings returns the findings of row i, in the order in which they were
// reported. Its cost grows with the number of reports: it is meant for one
// selected row.
func (s *Snapshot) RowFindings(i uint32) []Finding {
	var at []Finding
	if i >= s.n {
		return nil
	}
	for _, m := range s.marks {
		if m.row == i && int(m.finding) < len(s.findings) {
			at = append(at, s.findings[m.finding])
		}
	}
	return at
}

// Conns returns the connections in the order in which they began. Conn.Open
// holds copies of the OpenShown oldest exchanges of each side only. The slice
// must not be changed.
func (s *Snapshot) Conns() []Conn { return s.conns }

// Conn returns the connection with a number, which a row has in Row.Conn; nil
// if there is none. It must not be changed.
func (s *Snapshot) Conn(id int) *Conn {
	for i := len(s.conns) - 1; i >= 0; i-- { // The latest ones are requested most.
		if s.conns[i].ID == id {
			return &s.conns[i]
		}
	}
	return nil
}

// LastConn returns the latest connection; nil before the first. It must not be changed.
func (s *Snapshot) LastConn() *Conn {
	if len(s.conns) == 0 {
		return nil
	}
	return &s.conns[len(s.conns)-1]
}

// Waiting returns the exchange of the request at row i; nil if it has a
// response, or is not among those in Conn.Open.
func (s *Snapshot) Waiting(i uint32) *Exchange {
	r := s.Row(i)
	c := s.Conn(int(r.Conn))
	if c == nil || r.Kind != RowRequest || r.Pair != NoRow || r.Stream > S2C {
		return nil
	}
	open := c.Open[r.Stream]
	at, ok := slices.BinarySearchFunc(open, i, func(x *Exchange, row uint32) int { return cmp.Compare(x.Req, row) })
	if !ok {
		return nil
	}
	return open[at]
}

// OpenShown is how many waiting exchanges of each side a snapshot copies; every
// one of them has its row.
const OpenShown = 256

// Header returns the session's header, nil before it was read.
func (s *Snapshot) Header() *Header {
	switch {
	case s.only == 0:
		return s.header
	case s.only <= len(s.members):
		return s.members[s.only-1]
	}
	return nil
}

// End returns the session's end, nil while it has none.
func (s *Snapshot) End() *End { return s.end }

// Totals returns the sums over the session.
func (s *Snapshot) Totals() Totals { return s.totals }

// Outstanding returns Totals.Outstanding: whether the tee is NOT TRANSPARENT.
func (s *Snapshot) Outstanding() int { return int(s.totals.Outstanding) }

// Methods returns statistics by method and sender, in the order in which they
// were first seen. The slice must not be changed.
func (s *Snapshot) Methods() []MethodStats { return s.methods }

// Clock returns the session's time, in nanoseconds.
func (s *Snapshot) Clock() int64 { return s.clock }

// RequestOf returns the row of the request that row i is, answers or names; NoRow where
// there is none.
func (s *Snapshot) RequestOf(i uint32) uint32 {
	if r := s.Row(i); r.Kind != RowRequest {
		i = r.Pair
	}
	if i >= s.n || s.Row(i).Kind != RowRequest {
		return NoRow
	}
	return i
}

// longestSearch is how many rows after a request that was held what went on is looked for in.
const longestSearch = 1 << 12

// Onward returns the row of what went on in place of a request that was held or altered here,
// before the row of its answer; NoRow where there is none, or too many rows lie between.
func (s *Snapshot) Onward(request uint32) uint32 {
	r := s.Row(request)
	if r.Kind != RowRequest || r.Way != WayIn || r.Flags&FlagDecided == 0 {
		return NoRow
	}
	id := s.ID(r)
	for i := request + 1; i < min(r.Pair, s.n) && i-request < longestSearch; i++ {
		if o := s.Peek(i); o.Way == WayOut && o.Flags&FlagDecided != 0 && o.Kind == RowRequest && o.Stream == r.Stream && o.Conn == r.Conn && s.ids.text(o.ID) == id {
			return i
		}
	}
	return NoRow
}

// ResponseTo returns the row of the response to the request at row i, which may have gone on in
// place of another; NoRow where there is none, or too many rows lie between the two.
func (s *Snapshot) ResponseTo(i uint32) uint32 {
	r := s.Row(i)
	if r.Kind != RowRequest || !r.Substitutes() {
		return r.Pair
	}
	id := s.ID(r)
	for k := i; k > 0 && i-k < longestSearch; {
		k--
		if o := s.Peek(k); o.Way == WayIn && o.Flags&FlagDecided != 0 && o.Kind == RowRequest && o.Stream == r.Stream && o.Conn == r.Conn && s.ids.text(o.ID) == id {
			return s.Row(k).Pair
		}
	}
	return NoRow
}

// Unanswered reports whether row i is a request that its receiver got, and that has no
// response. One that was held or dropped here, and has not gone on, its receiver did not get.
func (s *Snapshot) Unanswered(i uint32) bool {
	r := s.Row(i)
	if r.Kind != RowRequest || r.Pair != NoRow || r.Substitutes() {
		return false
	}
	return r.Way != WayIn || r.Flags&FlagDecided == 0 || s.Onward(i) != NoRow
}

// Latency returns the nanoseconds from the request's last byte to the response's
// last byte, for the row of either; where the request was held here, from when it went on. It
// reports false for other rows and for requests that have no answer.
func (s *Snapshot) Latency(i uint32) (int64, bool) {
	r := s.Row(i)
	if r.Pair >= s.n {
		return 0, false
	}
	p := s.Row(r.Pair)
	if p.Pair != i {
		return 0, false // A progress notification points at its request, which points at its response.
	}
	req := min(i, r.Pair)
	from, to := s.Row(req), max(r.T, p.T)
	if from.Flags&FlagDecided != 0 {
		if went := s.Onward(req); went != NoRow {
			from.T = s.Row(went).T
		}
	}
	return max(0, to-from.T), true
}
