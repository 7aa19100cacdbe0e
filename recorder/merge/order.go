package merge

import (
	"math"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"wiretea/session"
)

// MaxSessions is how many sessions can be merged.
const MaxSessions = 1 << 12

// A Session is what is merged of one session.
type Session struct {
	Snap *session.Snapshot
	Rows []uint32 // Rows are the rows to merge, ascending; they are not changed, and must not be by others.
}

// A Row is a row of one of the sessions.
type Row struct {
	Session int    // Session is its index, from 0.
	Row     uint32 // Row is its number in the session's snapshot.
}

// An Order is rows of several sessions by the wall clock. It never changes, and may be
// read from any goroutine. The zero Order has no rows.
type Order struct {
	base    time.Time
	entries []entry
	lists   [][]uint32 // lists are the rows of each session, ascending,
	at      [][]uint32 // and at their places in entries.

	extended atomic.Bool // extended: another order goes on in the memory behind what this one has.
}

// An entry is a row with its time.
type entry struct {
	key     int64 // key is in nanoseconds from base, and never less than that of an entry before.
	row     uint32
	session uint16
}

// Base returns the time from which the merged clock counts: the earliest beginning of the
// sessions. It is the zero time where none of them says when it began.
func Base(sessions []Session) (base time.Time) {
	for _, s := range sessions {
		if t := s.Snap.Wall(0); known(t) && (base.IsZero() || t.Before(base)) {
			base = t
		}
	}
	return base
}

// known reports whether a time can be one of a recording: a file says what it wants.
func known(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 2200 }

// Time returns a time of a session on the merged clock that counts from base, in
// nanoseconds. A session that does not say when it began is taken to begin at base.
func Time(base time.Time, s *session.Snapshot, t int64) int64 {
	wall := s.Wall(t)
	if base.IsZero() || !known(wall) {
		return t
	}
	return int64(wall.Sub(base))
}

// Extend returns the order of the sessions' rows. What the order already has is not
// ordered again, as long as the rows of each session begin with those it had; the nil
// Order has nothing. At most MaxSessions are merged.
func (o *Order) Extend(sessions []Session) *Order {
	sessions = sessions[:min(len(sessions), MaxSessions)]
	base := Base(sessions)
	m := merger{sessions: sessions, next: &Order{base: base, lists: make([][]uint32, len(sessions)), at: make([][]uint32, len(sessions))}}
	for i, s := range sessions {
		m.next.lists[i] = s.Rows
	}
	if !o.goesOn(m.next) {
		for i, s := range sessions {
			m.next.at[i] = make([]uint32, 0, len(s.Rows))
		}
		m.run()
		return m.next
	}
	m.keep(o)
	m.run()
	return m.next
}

// goesOn reports whether next is the order with more rows.
func (o *Order) goesOn(next *Order) bool {
	if o == nil || !o.base.Equal(next.base) || len(o.lists) != len(next.lists) {
		return false
	}
	for i, list := range o.lists {
		if len(list) > len(next.lists[i]) || !slices.Equal(list, next.lists[i][:len(list)]) {
			return false
		}
	}
	return true
}

// A merger adds rows to an order that nobody sees yet.
type merger struct {
	sessions []Session
	next     *Order
	heads    []head // heads are the sessions with rows left, the least first, as a heap.
}

// A head is the first row of a session that is not ordered.
type head struct {
	key     int64
	session int
}

func (h head) before(other head) bool {
	return h.key < other.key || h.key == other.key && h.session < other.session
}

// keep takes over what cannot change any more: the entries that are not later than any new
// row.
func (m *merger) keep(o *Order) {
	first := int64(math.MaxInt64)
	for i, s := range m.sessions {
		if had := len(o.lists[i]); had < len(s.Rows) {
			first = min(first, m.key(i, had))
		}
	}
	n := sort.Search(len(o.entries), func(i int) bool { return o.entries[i].key >= first })
	free := n == len(o.entries) && o.extended.CompareAndSwap(false, true)
	m.next.entries = begun(o.entries, n, free)
	for i, at := range o.at {
		k, _ := slices.BinarySearch(at, uint32(n))
		m.next.at[i] = begun(at, k, free)
	}
}

// begun returns the first n of a list to be gone on with: in the same memory where what is
// behind the list is free, as readers of the list do not look there.
func begun[T any](list []T, n int, free bool) []T {
	if free && n == len(list) {
		return list
	}
	return slices.Clone(list[:n])
}

// key is the time of a session's k-th row.
func (m *merger) key(i, k int) int64 {
	s := m.sessions[i]
	return Time(m.next.base, s.Snap, s.Snap.Row(s.Rows[k]).T)
}

// run adds all rows that are not in the order.
func (m *merger) run() {
	for i, s := range m.sessions {
		if k := len(m.next.at[i]); k < len(s.Rows) {
			m.heads = append(m.heads, head{m.key(i, k), i})
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	last := int64(math.MinInt64)
	if n := len(m.next.entries); n > 0 {
		last = m.next.entries[n-1].key
	}
	for len(m.heads) > 0 {
		h := m.heads[0]
		k := len(m.next.at[h.session])
		last = max(last, h.key) // A row whose clock went back is where it came.
		m.next.at[h.session] = append(m.next.at[h.session], uint32(len(m.next.entries)))
		m.next.entries = append(m.next.entries, entry{last, m.sessions[h.session].Rows[k], uint16(h.session)})
		if k++; k < len(m.sessions[h.session].Rows) {
			m.heads[0].key = m.key(h.session, k)
		} else {
			m.heads[0] = m.heads[len(m.heads)-1]
			m.heads = m.heads[:len(m.heads)-1]
		}
		m.sink(0)
	}
}

// sink puts a head of the heap into its place.
func (m *merger) sink(i int) {
	for {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(m.heads) && m.heads[child].before(m.heads[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heads[i], m.heads[least] = m.heads[least], m.heads[i]
		i = least
	}
}

// Len returns the number of rows; 0 for the nil Order.
func (o *Order) Len() int {
	if o == nil {
		return 0
	}
	return len(o.entries)
}

// At returns the row at a place, from 0.
func (o *Order) At(i int) Row {
	e := o.entries[i]
	return Row{int(e.session), e.row}
}

// Time returns when the row at a place came, in nanoseconds from Base.
func (o *Order) Time(i int) int64 { return o.entries[i].key }

// Place returns the place of a row, and whether it has one; else where the row before it
// is in its session, -1 for none.
func (o *Order) Place(r Row) (int, bool) {
	if o == nil || r.Session < 0 || r.Session >= len(o.lists) {
		return -1, false
	}
	k, found := slices.BinarySearch(o.lists[r.Session], r.Row)
	if !found {
		k--
	}
	if k < 0 || k >= len(o.at[r.Session]) {
		return -1, false
	}
	return int(o.at[r.Session][k]), found
}

// Letter is what a session is called among others: A, B … Z, AA, AB …
func Letter(session int) string {
	if session < 26 {
		return string(rune('A' + max(0, session)))
	}
	return Letter(session/26-1) + string(rune('A'+session%26))
}

// oneStart is the longest time between the starts of servers that a client starts together.
const oneStart = time.Minute

// OneClient reports whether sessions are those of the servers of one client process: they
// have the same parent, and each began within a minute of another. A header may be nil.
func OneClient(headers []*session.Header) bool {
	if len(headers) < 2 {
		return false
	}
	var starts []time.Time
	for _, h := range headers {
		if h == nil || h.PPID <= 1 || h.PPID != headers[0].PPID || h.Mode != headers[0].Mode || !known(h.T0) {
			return false
		}
		starts = append(starts, h.T0)
	}
	slices.SortFunc(starts, time.Time.Compare)
	for i := range starts[1:] {
		if starts[i+1].Sub(starts[i]) > oneStart {
			return false
		}
	}
	return true
}
