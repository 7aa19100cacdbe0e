package session

import "slices"

// MaxFindings is how many distinct findings a session stores; later ones are
// counted.
const MaxFindings = 10_000

// maxMarks bounds the list of reports.
const maxMarks = 1 << 20

// A mark is a report of a finding: its row, and when it was known.
type mark struct {
	t       int64  // t is when it held, in nanoseconds of the session.
	row     uint32 // row is NoRow for a finding without a frame.
	at      uint32 // at is how many rows there were.
	finding uint16
	sev     Severity
}

// The finding's number must fit into a mark.
var _ [1<<16 - MaxFindings]byte

type findingKey struct {
	rule  string
	conn  int
	fault Fault
	key   string
}

// findings holds what the checkers reported, merged.
type findings struct {
	list   []Finding
	index  map[findingKey]int
	marks  []mark // marks only grows.
	shared []Finding
	dirty  bool // dirty: list is newer than shared
}

// report adds f, and updates the totals and the severity of its row.
func (a *Analyzer) report(f Finding) {
	if c := a.conns[f.Conn]; a.elsewhere(&f) || c != nil && (c.Probe || c.cut == cutHandshake || c.cut == cutLater && !f.Alone) || a.ownDoing(&f) {
		return
	}
	fs := &a.findings
	if f.N == 0 && f.Row != NoRow {
		f.N = uint64(a.store.at(f.Row).N)
	}
	k := findingKey{f.Rule, f.Conn, f.Fault, f.Key}
	i, known := fs.index[k]
	switch {
	case known:
		g := &fs.list[i]
		g.Last = f.Row
		if f.Running {
			g.Message, g.Running = f.Message, true
			g.Count += f.Count
		} else {
			g.Count += max(1, f.Count)
		}
		if f.Severity > g.Severity {
			a.totals.Findings[g.Severity]--
			a.totals.Findings[f.Severity]++
			g.Severity = f.Severity
		}
		a.totals.Repeats++
	case len(fs.list) >= MaxFindings:
		a.totals.Dropped++
		i = -1
	default:
		f.Count, f.Last = max(1, f.Count), f.Row
		i = len(fs.list)
		if fs.index == nil {
			fs.index = make(map[findingKey]int)
		}
		fs.index[k] = i
		fs.list = append(fs.list, f)
		a.totals.Findings[f.Severity]++
	}
	fs.dirty = true
	a.markRow(&f, i)
}

// ownDoing reports whether what was decided on the way may be the reason of a finding: it is
// at a frame that no peer sent, at an exchange or a round trip that was acted on, or at a round
// trip of wiretea's. What is wrong with a frame that a peer sent is its sender's fault, whatever
// became of the frame.
func (a *Analyzer) ownDoing(f *Finding) bool {
	ev := &a.ev
	if f.Timed && a.detains(f) {
		return true
	}
	if x := ev.Exchange; f.Timed && x != nil && x.Req < a.store.n && a.store.at(x.Req).Flags&FlagDecided != 0 {
		return true // Its request may have been held.
	}
	if ev.Frame != nil && ev.Frame.acted && ev.Frame.Row == f.Row {
		return ev.Frame.Way == WayOut
	}
	if ev.Exchange != nil && ev.Exchange.Acted {
		return true
	}
	if ev.Trip != nil && (ev.Trip.Request.Ours || ev.Trip.open.acted) || ev.Frame != nil && ev.Frame.Trip != nil && ev.Frame.Trip.open.acted {
		return true
	}
	if f.Row >= a.store.n {
		return false
	}
	row := a.store.at(f.Row)
	acted := row.Flags
	if row.Pair < a.store.n {
		acted |= a.store.at(row.Pair).Flags
	}
	return acted&FlagDecided != 0
}

// elsewhere reports whether a finding is reported on the other side of a tee that speaks
// stdio to the client, on connection 1, and HTTP to the server: each peer is judged where
// it speaks.
func (a *Analyzer) elsewhere(f *Finding) bool {
	return a.bridged() && (f.Conn == a.first() && f.Fault == Server || f.Conn != a.first() && f.Fault == Client)
}

// markRow marks the row of f, which is the finding of that number; below 0 = it
// has none.
func (a *Analyzer) markRow(f *Finding, number int) {
	if f.Row < a.store.n && a.store.at(f.Row).Sev < f.Severity {
		a.store.edit(f.Row).Sev = f.Severity
	}
	if number >= 0 && len(a.findings.marks) < maxMarks {
		a.findings.marks = append(a.findings.marks, mark{f.T, f.Row, a.store.n, uint16(number), f.Severity})
	}
}

// published returns the findings for a snapshot.
func (fs *findings) published() []Finding {
	if fs.dirty {
		fs.shared = slices.Clone(fs.list)
		fs.dirty = false
	}
	return fs.shared
}

// FindingRows returns the rows at which finding i was reported, in the order of
// the reports, one for each report and at most limit. Its cost grows with the
// number of reports: it is meant for one selected finding.
func (s *Snapshot) FindingRows(i, limit int) []uint32 {
	var rows []uint32
	for _, m := range s.marks {
		if len(rows) >= limit {
			break
		}
		if int(m.finding) == i && m.row < s.n {
			rows = append(rows, m.row)
		}
	}
	return rows
}

// A RowSet is a set of rows, or of other small numbers, with a bit for each. The
// nil RowSet is empty.
type RowSet []uint64

func newRowSet(n int) RowSet { return make(RowSet, (n+63)/64) }

func (r RowSet) add(i uint32) { r[i/64] |= 1 << (i % 64) }

// Has reports whether row i is in the set.
func (r RowSet) Has(i uint32) bool { return int(i>>6) < len(r) && r[i>>6]&(1<<(i&63)) != 0 }

// RowsWhere returns the rows of the findings for which counts is true. Its cost
// grows with the number of reports.
func (s *Snapshot) RowsWhere(counts func(f *Finding) bool) RowSet {
	set := newRowSet(int(s.n))
	which := make([]bool, len(s.findings))
	for i := range s.findings {
		which[i] = counts(&s.findings[i])
	}
	for _, m := range s.marks {
		if m.row < s.n && int(m.finding) < len(which) && which[m.finding] {
			set.add(m.row)
		}
	}
	return set
}

// NamesWhere returns the numbers of the interned names for which matches is true.
// A row without a name does not match.
func (s *Snapshot) NamesWhere(matches func(name string) bool) RowSet {
	set := newRowSet(len(s.names))
	for i, name := range s.names {
		if i != int(noName) && matches(name) {
			set.add(uint32(i))
		}
	}
	return set
}

// Severity of a finding. The zero value is none.
type Severity uint8

const (
	NoSeverity Severity = iota
	Info                // Info is legal but worth showing.
	Warning             // Warning breaks a SHOULD, or a common client.
	Error               // Error breaks a MUST, or kills a mainstream peer.
)

// ParseSeverity returns the severity of that word; "warn" is taken for warning.
func ParseSeverity(word string) (Severity, bool) {
	if word == "warn" {
		word = "warning"
	}
	i := slices.Index(severityWords, word)
	return Severity(max(0, i)), i > 0
}

// Fault is the side that must change its code.
type Fault uint8

const (
	Nobody Fault = iota
	Client
	Server
	Intermediary // Intermediary is what stands between the two: a reverse proxy, a load balancer, a content delivery network.
)

// Sender returns the side that writes to a stream.
func (s Stream) Sender() Fault {
	if s == C2S {
		return Client
	}
	return Server
}

// NoRow means "no frame" in place of a row number.
const NoRow = ^uint32(0)

// A Finding is what a rule reports. Repeats of a rule with the same connection,
// fault and Key are one Finding with a Count.
type Finding struct {
	Rule     string // Rule is the id: "stdout-not-json".
	Severity Severity
	Fault    Fault
	Conn     int
	Row      uint32 // Row is its first frame, or NoRow.
	Last     uint32 // Last is its latest frame.
	N        uint64 // N is the record number of Row's frame, 0 = none.
	Count    int    // Count is at least 1.
	T        int64  // T is when it first held, in nanoseconds of the session.
	Key      string // Key distinguishes findings of one rule that must not be merged; never shown.
	Message  string // Message is one line: what is wrong here, with the values that show it.
	Alone    bool   `json:"-"` // Alone: it is wrong with one message by itself, whatever came before it.
	Timed    bool   `json:"-"` // Timed: it is about how long something took.
	Begun    int64  `json:"-"` // Begun is, with Timed, when the time began that it is about; 0 = with the request.
	Running  bool   `json:"-"` // Running: Message speaks of all reports until then, so that only the latest is shown; Count is added.
	Hint     string // Hint is one line: what to change.
	Ref      string // Ref is the URL of the violated text; empty for a fact about implementations.
	Breaks   []string
}

// Repeated reports whether what Message says was reported Count times, more than once. A
// Message that speaks of all reports says itself how often.
func (f *Finding) Repeated() bool { return f.Count > 1 && !f.Running }

// Keyed returns the finding with another Key.
func (f Finding) Keyed(key string) Finding {
	f.Key = key
	return f
}

// Since returns the finding as one about the time that began at t. It does not count if anything
// was decided on here in that time.
func (f Finding) Since(t int64) Finding {
	f.Timed, f.Begun = true, max(1, t)
	return f
}

// Graded returns the finding with another severity.
func (f Finding) Graded(s Severity) Finding {
	f.Severity = s
	return f
}

// AtRow returns the finding at another frame, which the session has in that row.
func (f Finding) AtRow(row uint32) Finding {
	f.Row, f.N = row, 0
	return f
}
