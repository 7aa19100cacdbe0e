package cause

import (
	"iter"
	"slices"

	"wiretea/session"
)

// A Diagnosis is the most likely root cause of a session's problems. The zero
// Diagnosis is that of a healthy session.
type Diagnosis struct {
	Sentence string // Sentence is what happened, one line; empty = nothing is wrong. Text of the server is in it without control characters.
	Mend     string // Mend is what to change, one line that begins with a verb; empty = unknown.
	Reason   string // Reason is a clause that explains the server's last output; empty = it matches no known cause.
	Cause    string // Cause is a short name of the cause: the ID of a Cause, else the rule of the finding; never shown instead of Sentence.
	Finding  int    // Finding is the index of the finding it is based on among those of the Snapshot; -1 = none.
	Conn     int    // Conn is the connection, 0 = none.

	// Severity is that of the finding that it is based on; Error if something is
	// wrong that no rule reports.
	Severity session.Severity

	Groups  []Group // Groups are all findings but the refuted ones, that of the diagnosis first, then by severity.
	Refuted []int   // Refuted are the indexes of findings that others replace: they are not to be shown.
}

// A Group is a finding and its consequences, as indexes into the findings of
// the Snapshot.
type Group struct {
	Root    int
	Follows []int // Follows are in the order in which they were reported.
}

// Lines returns the beginning of a row's line of stderr, without its
// terminator; nil if it cannot be read.
type Lines func(row session.Row) []byte

// Empty reports whether nothing is wrong.
func (d *Diagnosis) Empty() bool { return d.Sentence == "" }

// Shown returns the findings of the Snapshot without the refuted ones.
func (d *Diagnosis) Shown(all []session.Finding) []session.Finding {
	if len(d.Refuted) == 0 {
		return all
	}
	var shown []session.Finding
	for i := range all {
		if !slices.Contains(d.Refuted, i) {
			shown = append(shown, all[i])
		}
	}
	return shown
}

// String returns Sentence and Mend, one line; empty for a healthy session.
func (d *Diagnosis) String() string {
	if d.Mend == "" || d.Sentence == "" {
		return d.Sentence
	}
	return d.Sentence + " → " + d.Mend
}

// Among returns the diagnosis of a session from the findings for which keep is true, given
// their index; nil keeps all. stderr may be nil: then only the findings are used.
func Among(s *session.Snapshot, stderr Lines, keep func(i int) bool) Diagnosis {
	if n := len(s.Members()); n > 0 {
		return ofMembers(s, n, stderr, keep)
	}
	c := newChart(s, stderr)
	for i := range c.weights {
		if !s.Has(c.all[i].Conn) || keep != nil && !keep(i) {
			c.weights[i] = -1
		}
	}
	d := Diagnosis{Finding: -1, Refuted: c.refuted}
	root := c.root()
	switch {
	case c.neverStarted(&d):
	case root >= 0 && c.describeEcho(&c.all[root], &d):
	case root >= 0 && c.weights[root] >= preventsConnection || !c.describeTimeout(&d):
		d.Finding = root
	}
	d.Groups = c.groups(d.Finding)
	switch {
	case d.Finding >= 0:
		d.Severity = c.all[d.Finding].Severity
		c.describe(&d)
	case !d.Empty():
		d.Severity = session.Error
	}
	return d
}

// ofMembers is the diagnosis of a merged log: the worst of those of its n sessions, with the
// letter of that session, and the groups of all.
func ofMembers(s *session.Snapshot, n int, stderr Lines, keep func(i int) bool) Diagnosis {
	worst := Diagnosis{Finding: -1}
	var groups []Group
	var refuted []int
	for m := 1; m <= n; m++ {
		d := Among(s.Of(m), stderr, keep)
		groups, refuted = append(groups, d.Groups...), append(refuted, d.Refuted...)
		if !d.Empty() && (worst.Empty() || d.Severity > worst.Severity) {
			worst = d
			worst.Sentence = session.Letter(m) + ": " + d.Sentence
		}
	}
	all := s.Findings()
	slices.SortStableFunc(groups, func(a, b Group) int {
		switch worst.Finding {
		case a.Root:
			return -1
		case b.Root:
			return 1
		}
		return int(all[b.Root].Severity) - int(all[a.Root].Severity)
	})
	worst.Groups, worst.Refuted = groups, refuted
	return worst
}

// A chart is the data for a diagnosis.
type chart struct {
	s     *session.Snapshot
	all   []session.Finding
	conns []session.Conn
	read  Lines

	weights []int // weights has the weight of each finding; -1 = refuted, or excluded.
	refuted []int
}

func newChart(s *session.Snapshot, stderr Lines) *chart {
	c := &chart{s: s, all: s.Findings(), conns: s.Conns(), read: stderr}
	c.weights = make([]int, len(c.all))
	for i := range c.all {
		c.weights[i] = c.weight(&c.all[i])
	}
	c.refute()
	return c
}

// conn returns the connection of that id, nil if there is none.
func (c *chart) conn(id int) *session.Conn {
	for i := range c.conns {
		if c.conns[i].ID == id {
			return &c.conns[i]
		}
	}
	return nil
}

// latest yields the latest rows of a kind and a connection, the latest first.
func (c *chart) latest(conn int, kind session.RowKind) iter.Seq2[uint32, session.Row] {
	return func(yield func(uint32, session.Row) bool) {
		for i := c.s.Len() - 1; i >= max(0, c.s.Len()-maxRows); i-- {
			if row := c.s.Row(uint32(i)); row.Kind == kind && int(row.Conn) == conn && !yield(uint32(i), row) {
				return
			}
		}
	}
}

// refute finds the findings that another replaces: that a server exited, where a
// later connection showed what it exits on.
func (c *chart) refute() {
	for i := range c.all {
		if f := &c.all[i]; c.s.Has(f.Conn) && f.Rule == "server-exited" && c.explained(f.Conn) {
			c.refuted = append(c.refuted, i)
			c.weights[i] = -1
		}
	}
}

// explained reports whether it is known what the server of a connection exited
// on.
func (c *chart) explained(conn int) bool {
	return slices.ContainsFunc(c.all, func(f session.Finding) bool {
		return f.Conn == conn && (f.Rule == "server-exit-on-probe" || f.Rule == "server-exit-on-unknown-method")
	})
}

// answered reports whether the server has sent any valid response.
func answered(c *session.Conn) bool { return c.ServerLegacy || c.ServerModern || c.Initialized }
