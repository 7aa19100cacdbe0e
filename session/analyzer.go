package session

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"wiretea/session/mcp"
)

// A Config configures an Analyzer. The zero Config takes the limits of the
// session's header, else the default ones, and applies no rule.
type Config struct {
	// Limits override, field by field, those of the session's header.
	Limits Limits

	// Checkers see every event, in this order.
	Checkers []Checker

	// Member returns the checkers of one session of a merged log; nil = it has none.
	Member func() []Checker
}

// An Analyzer turns the records of one session into rows, exchanges and
// findings. Its methods may be called from several goroutines; records are
// judged in the order of the calls. Checkers are called under its lock and must
// not call it.
type Analyzer struct {
	mu  sync.Mutex
	cfg Config

	*shared
	member  int         // member is the number of the session in a merged log; 0 = the log as a whole.
	members []*Analyzer // members are the analyses of the sessions of a merged log.

	header *Header
	end    *End
	limits Limits
	clock  int64
	until  int64 // until is the time to which the clock is being moved: before it there is no record.
	closed bool

	lossy    bool // lossy: records were lost.
	anywhere bool // anywhere: it is not known of which connection.

	aparts []apart

	conns map[int]*conn // conns are all connections, by id.

	mirrored map[uint64]bool // mirrored are requests that were acted on over HTTP, by the hashes of their ids; see mirror.
	order    []*conn         // order is the same, in the order in which they began.
	live     []*conn         // live are those that have not ended.
	idle     []*stream       // idle are streams of round trips that have ended, for reuse.
	trips    map[int]*Trip   // trips are the round trips that have not ended, by number.
	last     *conn           // last is the one of the latest record.

	timers    timerHeap
	timerSeq  uint64
	deadlines []*deadline
	growing   int   // growing counts the streams with a stallAt.
	quiet     int64 // quiet is a time before which nothing is due.

	spare   []*exchange // spare are exchanges for reuse.
	idText  textArena
	methods []*mcp.Method // methods are the table's rows by interned name; nil if there is none or it was not looked up.
	looked  []bool        // looked distinguishes these two.

	inPath []PathEvent // inPath are the latest events of what is switched on.
	ev     Event       // ev is the current event.
	frame  Frame       // frame is what ev.Frame points to.
}

// shared is what the analyses of a merged log's sessions write together.
type shared struct {
	store    store
	stats    stats
	findings findings
	totals   Totals
	all      []*conn // all are the connections, in the order in which they began.
	ops      uint32  // ops counts the operations.
}

// NewAnalyzer returns an Analyzer without records.
func NewAnalyzer(cfg Config) *Analyzer {
	s := &shared{}
	s.store.names = newInterner()
	return newAnalyzer(cfg, s, 0)
}

func newAnalyzer(cfg Config, s *shared, member int) *Analyzer {
	return &Analyzer{
		cfg: cfg, shared: s, member: member, limits: mergeLimits(cfg.Limits, Limits{}),
		conns: make(map[int]*conn), trips: make(map[int]*Trip), quiet: math.MaxInt64,
	}
}

// mergeLimits takes each field from the first that has it.
func mergeLimits(first, second Limits) Limits {
	def := DefaultLimits()
	l := Limits{
		Timeout:  cmp.Or(first.Timeout, second.Timeout, def.Timeout),
		Timeouts: first.Timeouts,
		MaxLine:  cmp.Or(first.MaxLine, second.MaxLine, def.MaxLine),
		Lines:    first.Lines,
	}
	if l.Timeouts == nil {
		l.Timeouts = second.Timeouts
	}
	if l.Lines == nil {
		l.Lines = second.Lines
	}
	if l.Lines == nil {
		l.Lines = def.Lines
	}
	return l
}

// Add processes the next record, and retains nothing of it. A record whose time
// is before the session's clock is taken to be at the clock.
func (a *Analyzer) Add(r *Record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.memberOf(r)
	m.add(r)
	a.clock = max(a.clock, m.clock)
}

func (a *Analyzer) add(r *Record) {
	a.advance(r.T)
	switch r.Kind {
	case RecHeader:
		a.addHeader(r)
	case RecFrame:
		a.connOf(r.Conn).addFrame(r)
	case RecRaw:
		a.connOf(r.Conn).addRaw(r)
	case RecIO:
		a.connOf(r.Conn).addIO(r)
	case RecProc:
		a.addProc(r)
	case RecHTTP:
		a.addHTTP(r)
	case RecGap:
		a.addGap(r)
	case RecPath:
		a.addPath(r)
	case RecEnd:
		a.addEnd(r)
	case RecClock:
		a.addClock(r)
	case RecOver:
		a.close()
	case RecUnknown:
	}
}

// Rows returns how many rows there are.
func (a *Analyzer) Rows() uint32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.store.n
}

// Advance moves the session's clock to t without a record: timers until then
// fire. A time before the clock changes nothing.
func (a *Analyzer) Advance(t int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.advance(t)
	for _, m := range a.members {
		if !m.closed {
			m.advance(t)
		}
	}
}

// Close tells that no more records will come. An unfinished assembly of lines
// is given up. Pending requests stay pending, and a line without its end stays
// unfinished: a truncated file is not the fault of either side. Only an end record
// ends connections.
func (a *Analyzer) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range a.members {
		m.close()
	}
	a.close()
}

func (a *Analyzer) close() {
	if a.closed {
		return
	}
	a.closed = true
	for _, c := range a.live {
		for _, st := range c.streams {
			if st != nil {
				st.giveUp()
			}
		}
	}
}

// Next returns when the next timer fires, for owners that must call Advance in
// time. It reports false if there is none.
func (a *Analyzer) Next() (t int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, fire := a.next()
	for _, m := range a.members {
		if at, due := m.next(); due != nil && at < t && !m.closed {
			t, fire = at, due
		}
	}
	return t, fire != nil
}

// Snapshot returns the current state. It costs O(chunks) and may be called from
// any goroutine.
func (a *Analyzer) Snapshot() *Snapshot {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &Snapshot{
		names:    a.store.names.list[:len(a.store.names.list):len(a.store.names.list)],
		ids:      a.store.ids.published(),
		marks:    a.findings.marks[:len(a.findings.marks):len(a.findings.marks)],
		aparts:   a.aparts[:len(a.aparts):len(a.aparts)],
		findings: a.findings.published(),
		conns:    a.publishConns(),
		header:   a.header,
		end:      a.end,
		totals:   a.totals,
		methods:  a.stats.published(),
		clock:    a.clock,
		inPath:   a.inPath[:len(a.inPath):len(a.inPath)],
	}
	for _, m := range a.members {
		s.members = append(s.members, m.header)
		s.inPath = append(s.inPath, m.inPath...)
	}
	if len(a.members) > 0 {
		s.end = a.ended()
	}
	s.chunks, s.n = a.store.publish()
	s.trips = slices.Clone(a.store.trips)
	return s
}

func (a *Analyzer) addHeader(r *Record) {
	if r.Header == nil || a.header != nil {
		return
	}
	h := *r.Header
	a.header = &h
	a.limits = mergeLimits(a.cfg.Limits, h.Limits)
	for _, c := range a.order {
		c.Limits = a.limits
	}
}

func (a *Analyzer) addEnd(r *Record) {
	end := r.End
	a.end = &end
	for len(a.live) > 0 {
		a.live[0].finish()
	}
}

// addPath adds an event of what decides on messages.
func (a *Analyzer) addPath(r *Record) {
	ev, c := r.Path, a.connOf(r.Conn)
	if ev.Event == PathCut {
		c.sever()
		if a.bridged() && c.ID != a.first() {
			a.connOf(a.first()).sever() // It has the same messages.
		}
		c.addRow(r, RowProc, ev.What, ev.Text).Stream = C2S
		return
	}
	row := c.addRow(r, RowProc, ev.What, ev.Event)
	row.Stream = C2S
	a.inPath = slices.DeleteFunc(slices.Clone(a.inPath), func(on PathEvent) bool {
		return on.What == ev.What && (ev.Event != PathBroken || on.Event == PathBroken)
	})
	if ev.Event == "on" || ev.Event == "changed" || ev.Event == PathBroken {
		a.inPath = append(a.inPath, ev)
	}
}

// event begins the next event, at the clock. c may be nil.
func (a *Analyzer) event(k EventKind, c *conn) *Event {
	a.ev = Event{Kind: k, T: a.clock, Lossy: a.lossy}
	if c != nil {
		a.ev.Conn = &c.Conn
	}
	return &a.ev
}

// emit passes the current event to the checkers.
func (a *Analyzer) emit() {
	for _, c := range a.cfg.Checkers {
		c.Check(&a.ev, (*reporter)(a))
	}
}
