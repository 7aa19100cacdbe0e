package merge

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"wiretea/session"
)

// A source writes a session record by record.
type source struct {
	*session.Analyzer
	n uint64
}

func begin(t0 time.Time) *source {
	s := &source{Analyzer: session.NewAnalyzer(session.Config{})}
	s.Add(&session.Record{Kind: session.RecHeader, Conn: 1, Header: &session.Header{Format: "mcpcap", T0: t0}})
	return s
}

func (s *source) frame(at time.Duration) {
	s.n++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"m%d"}`, s.n)
	s.Add(&session.Record{Kind: session.RecFrame, N: s.n, Conn: 1, T: int64(at), T1: int64(at), Stream: session.C2S, Body: []byte(body), Term: []byte("\n")})
}

func (s *source) clock(at time.Duration, wall time.Time) {
	s.n++
	s.Add(&session.Record{Kind: session.RecClock, N: s.n, Conn: 1, T: int64(at), Wall: wall})
}

// whole is a session with all its rows.
func whole(s *session.Snapshot) Session {
	rows := make([]uint32, s.Len())
	for i := range rows {
		rows[i] = uint32(i)
	}
	return Session{s, rows}
}

func rowsOf(o *Order) (rows []Row) {
	for i := range o.Len() {
		rows = append(rows, o.At(i))
	}
	return rows
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestWall holds that sessions are ordered by the wall clock: their beginnings, corrected
// by their clock records.
func TestWall(t *testing.T) {
	a, b := begin(noon), begin(noon.Add(time.Second))
	a.frame(0)
	a.frame(1500 * time.Millisecond)
	b.frame(0)
	b.frame(time.Second)
	// a's computer sleeps for an hour, in which its own clock rests.
	a.clock(2*time.Second, noon.Add(time.Hour+2*time.Second))
	a.frame(3 * time.Second)
	b.frame(10 * time.Second)
	o := (*Order)(nil).Extend([]Session{whole(a.Snapshot()), whole(b.Snapshot())})
	want := []Row{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 2}, {0, 2}}
	if got := rowsOf(o); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := o.Time(5), int64(time.Hour+3*time.Second); got != want {
		t.Errorf("the last row is at %v, want %v", time.Duration(got), time.Duration(want))
	}
}

// TestUnknownBeginning holds that a session which does not say when it began is merged as
// if it began with the others, also where a file says what cannot be.
func TestUnknownBeginning(t *testing.T) {
	for _, t0 := range []time.Time{{}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-44, 3, 15, 0, 0, 0, 0, time.UTC)} {
		a, b := begin(noon), begin(t0)
		a.frame(time.Second)
		b.frame(0)
		b.frame(2 * time.Second)
		o := (*Order)(nil).Extend([]Session{whole(a.Snapshot()), whole(b.Snapshot())})
		if got, want := rowsOf(o), []Row{{1, 0}, {0, 0}, {1, 1}}; !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", t0, got, want)
		}
	}
}

// TestOrder holds, over sessions whose times overlap, jump and go back, that an order has
// every row once, in the order of the wall clock, however it was extended; that the order
// of some rows is that of all without the others; and that a place leads back to its row.
func TestOrder(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		sources := make([]*source, 1+r.IntN(5))
		clocks := make([]time.Duration, len(sources))
		for i := range sources {
			sources[i] = begin(noon.Add(time.Duration(r.IntN(5000)) * time.Millisecond))
		}
		var grown, again *Order
		for range 1 + r.IntN(6) {
			for range r.IntN(40) {
				i := r.IntN(len(sources))
				clocks[i] += time.Duration(r.IntN(300)-20) * time.Millisecond
				if clocks[i] = max(0, clocks[i]); r.IntN(20) == 0 {
					sources[i].clock(clocks[i], noon.Add(clocks[i]+time.Duration(r.IntN(4000))*time.Millisecond))
					continue
				}
				sources[i].frame(clocks[i])
			}
			var sessions []Session
			for _, s := range sources {
				sessions = append(sessions, whole(s.Snapshot()))
			}
			before := rowsOf(grown)
			next := grown.Extend(sessions)
			again = grown.Extend(sessions) // The first extension is not to notice.
			if !slices.Equal(rowsOf(grown), before) {
				t.Fatalf("seed %d: an order has changed", seed)
			}
			grown = next
			check(t, seed, sessions, grown)
			check(t, seed, sessions, again)
			some := pick(r, sessions)
			check(t, seed, some, grown.Extend(some))
		}
	}
}

// pick leaves some rows of each session.
func pick(r *rand.Rand, sessions []Session) []Session {
	some := slices.Clone(sessions)
	for i, s := range some {
		some[i].Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(uint32) bool { return r.IntN(3) == 0 })
	}
	return some
}

// check compares an order with one made in the simplest way.
func check(t *testing.T, seed uint64, sessions []Session, o *Order) {
	t.Helper()
	type timed struct {
		at  int64
		row Row
	}
	var want []timed
	for i, s := range sessions {
		latest := int64(-1 << 62)
		for _, row := range s.Rows {
			latest = max(latest, Time(Base(sessions), s.Snap, s.Snap.Row(row).T))
			want = append(want, timed{latest, Row{i, row}})
		}
	}
	slices.SortStableFunc(want, func(a, b timed) int { return cmp.Compare(a.at, b.at) })
	if o.Len() != len(want) {
		t.Fatalf("seed %d: %d rows of %d", seed, o.Len(), len(want))
	}
	for i, w := range want {
		if o.At(i) != w.row || o.Time(i) != w.at {
			t.Fatalf("seed %d: place %d has %v at %d, want %v at %d", seed, i, o.At(i), o.Time(i), w.row, w.at)
		}
		if at, found := o.Place(w.row); at != i || !found {
			t.Fatalf("seed %d: %v is at %d (%v), want %d", seed, w.row, at, found, i)
		}
	}
	if _, found := o.Place(Row{len(sessions), 0}); found {
		t.Fatal("a session that is not merged has a place")
	}
}

// TestPlaceOfHidden holds that a row that is not merged is next to the one before it.
func TestPlaceOfHidden(t *testing.T) {
	a := begin(noon)
	for i := range 3 {
		a.frame(time.Duration(i) * time.Second)
	}
	o := (*Order)(nil).Extend([]Session{{a.Snapshot(), []uint32{0, 2}}})
	for row, want := range map[uint32]int{0: 0, 1: 0, 2: 1, 9: 1} {
		if at, _ := o.Place(Row{0, row}); at != want {
			t.Errorf("row %d is at %d, want %d", row, at, want)
		}
	}
}

// BenchmarkExtend extends an order of a million rows by a few.
func BenchmarkExtend(b *testing.B) {
	var sessions []Session
	for i := range 3 {
		s := begin(noon.Add(time.Duration(i) * time.Millisecond))
		for k := range 333_333 {
			s.frame(time.Duration(k) * time.Millisecond)
		}
		sessions = append(sessions, whole(s.Snapshot()))
	}
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			(*Order)(nil).Extend(sessions)
		}
	})
	less := slices.Clone(sessions)
	for i := range less {
		less[i].Rows = less[i].Rows[:len(less[i].Rows)-10]
	}
	o := (*Order)(nil).Extend(less)
	b.Run("more", func(b *testing.B) {
		for b.Loop() {
			o.Extend(sessions)
		}
	})
}
