package findings

import (
	"slices"

	"wiretea/session"
	"wiretea/ui/pane"
)

// A grouping is how the findings are put together.
type grouping uint8

const (
	byCause grouping = iota
	byRule
	byFault
	numGroupings
)

var groupingWords = [numGroupings]string{"by cause", "by rule", "by fault"}

// A kind is what a line of the list is.
type kind uint8

const (
	single   kind = iota // single is a finding.
	many                 // many stands for findings of one rule.
	party                // party heads what is one side's fault.
	report               // report is a frame of a finding.
	more                 // more counts the reports that are not listed.
	refuted              // refuted heads what came later disproves.
	silenced             // silenced heads what was silenced.
	earlier              // earlier heads what was found before the server's latest start.
)

// A key names a line, also after the list was made again.
type key struct {
	kind  kind
	at    int // at is the finding's place among those of the Snapshot.
	row   uint32
	rule  string
	fault session.Fault
}

// A line is one line of the list.
type line struct {
	key
	depth   uint8
	n       int   // n is how many findings it stands for.
	members []int // members are those findings; nil for one.
	follows int   // follows counts the findings below it that follow from it.
	folds   bool  // folds: there is something below it.
	open    bool  // open: and it is shown.
	quiet   bool  // quiet: it was silenced, or disproved.
}

// A group is a finding and those that follow from it.
type group struct {
	root    int
	follows []int
}

// mostReports is how many frames of a finding are listed.
const mostReports = 200

// sort makes the list again, where the findings or the folds have changed. That the
// cursor is at the first line means the worst finding, whichever that is;
// elsewhere it stays with its line.
func (p *Pane) sort(c *pane.Context) {
	all, totals := c.Snap.Findings(), c.Snap.Totals()
	since := c.Since()
	if !p.stale && len(all) == p.n && totals.Findings == p.of.Findings && since == p.since {
		return
	}
	p.of, p.n, p.since, p.stale = totals, len(all), since, false
	b := builder{p: p, all: all, lines: p.lines[:0]}
	b.order()
	p.shown, p.hidden, p.before = b.shown, b.hidden, int64(len(b.earlier))
	switch p.by {
	case byRule:
		b.buckets(b.alone(b.loud), 0)
	case byFault:
		b.parties()
	case byCause, numGroupings:
		b.buckets(b.causes(), 0)
	}
	b.rest(refuted, b.disproved)
	b.rest(silenced, b.quiet)
	b.rest(earlier, b.earlier)
	p.lines = b.lines
	p.numW, p.ruleW = 0, 0
	for i := range p.lines {
		f := p.lines[i].finding(all)
		if f == nil {
			continue
		}
		p.ruleW = max(p.ruleW, len(f.Rule))
		if f.N > 0 && p.lines[i].kind == single {
			p.numW = max(p.numW, len(number(c.Snap, f)))
		}
	}
	at := 0
	if p.list.At > 0 {
		at = max(0, slices.IndexFunc(p.lines, func(l line) bool { return l.key == p.at }))
	}
	p.list.At = at
	p.hold()
}

// A builder makes the list.
type builder struct {
	p     *Pane
	all   []session.Finding
	lines []line

	loud, quiet, disproved, earlier []int // the findings, the worst first: those that count, those that were silenced, those that came later disproves, and those of earlier connections.
	shown                           [4]int64
	hidden                          int
}

var worstFirst = [...]session.Severity{session.Error, session.Warning, session.Info, session.NoSeverity}

// order sorts the findings, the worst first.
func (b *builder) order() {
	drop := map[int]bool{}
	for _, i := range b.p.cause.Refuted {
		drop[i] = true
	}
	for _, sev := range worstFirst {
		for i := range b.all {
			f := &b.all[i]
			switch {
			case f.Severity != sev:
			case b.past(i):
				b.earlier = append(b.earlier, i)
			case b.p.silenced[f.Rule]:
				b.quiet = append(b.quiet, i)
				b.hidden++
			case drop[i]:
				b.disproved = append(b.disproved, i)
			default:
				b.loud = append(b.loud, i)
				b.shown[sev]++
			}
		}
	}
}

// past reports whether a finding is one of an earlier connection.
func (b *builder) past(at int) bool { return b.all[at].Conn > 0 && b.all[at].Conn < b.p.since }

// alone makes a group of each finding.
func (b *builder) alone(list []int) []group {
	groups := make([]group, len(list))
	for i, at := range list {
		groups[i].root = at
	}
	return groups
}

// causes are the groups of the diagnosis, and the findings that came since. Where
// the root was silenced, its consequences are listed by themselves.
func (b *builder) causes() []group {
	var groups []group
	grouped := make(map[int]bool, len(b.loud))
	counts := func(at int) bool {
		return at >= 0 && at < len(b.all) && !b.p.silenced[b.all[at].Rule] && !grouped[at] && !b.past(at)
	}
	for _, g := range b.p.cause.Groups {
		var follows []int
		for _, at := range g.Follows {
			if counts(at) {
				follows = append(follows, at)
			}
		}
		if !counts(g.Root) {
			groups = append(groups, b.alone(follows)...)
		} else {
			groups = append(groups, group{g.Root, follows})
			grouped[g.Root] = true
		}
		for _, at := range follows {
			grouped[at] = true
		}
	}
	for _, at := range b.loud {
		if !grouped[at] {
			groups = append(groups, group{root: at})
		}
	}
	return groups
}

// parties puts the findings under whose fault they are.
func (b *builder) parties() {
	for _, fault := range []session.Fault{session.Server, session.Client, session.Intermediary, session.Nobody} {
		var theirs []int
		for _, at := range b.loud {
			if b.all[at].Fault == fault {
				theirs = append(theirs, at)
			}
		}
		if len(theirs) > 0 && b.head(line{key: key{kind: party, fault: fault}, n: len(theirs), members: theirs}, true) {
			b.buckets(b.alone(theirs), 1)
		}
	}
}

// rest puts what does not count under a head at the end.
func (b *builder) rest(k kind, list []int) {
	if len(list) == 0 || !b.head(line{key: key{kind: k}, n: len(list), members: list, quiet: true}, false) {
		return
	}
	from := len(b.lines)
	b.buckets(b.alone(list), 1)
	for i := from; i < len(b.lines); i++ {
		b.lines[i].quiet = true
	}
}

// buckets adds groups; those of one rule and one side from which nothing follows
// are one line, at the place of the first.
func (b *builder) buckets(groups []group, depth uint8) {
	type bucket struct {
		rule  string
		fault session.Fault
	}
	count := map[bucket][]int{}
	of := func(g *group) bucket { return bucket{b.all[g.root].Rule, b.all[g.root].Fault} }
	for i := range groups {
		if len(groups[i].follows) == 0 {
			count[of(&groups[i])] = append(count[of(&groups[i])], groups[i].root)
		}
	}
	for i := range groups {
		g := &groups[i]
		same := count[of(g)]
		switch {
		case len(g.follows) > 0 || len(same) == 1:
			b.group(g, depth)
		case same[0] != g.root:
		case b.head(line{key: key{kind: many, rule: b.all[g.root].Rule, fault: b.all[g.root].Fault}, depth: depth, n: len(same), members: same}, false):
			for _, at := range same {
				b.group(&group{root: at}, depth+1)
			}
		}
	}
}

// group adds a finding with what follows from it.
func (b *builder) group(g *group, depth uint8) {
	f := &b.all[g.root]
	l := line{key: key{kind: single, at: g.root}, depth: depth, n: 1, follows: len(g.follows)}
	reports := key{kind: report, at: g.root}
	l.folds = len(g.follows) > 0 || f.Count > 1 && f.Row != session.NoRow
	l.open = len(g.follows) > 0 && b.p.isOpen(l.key, len(g.follows) <= manyFollow) || b.p.isOpen(reports, false)
	b.lines = append(b.lines, l)
	if b.p.isOpen(reports, false) { // The frames at which it is, as far as they were read.
		got := b.p.reports[g.root]
		for _, row := range got.rows {
			b.lines = append(b.lines, line{key: key{kind: report, at: g.root, row: row}, depth: depth + 1, n: 1})
		}
		if rest := f.Count - len(got.rows); len(got.rows) > 0 && rest > 0 {
			b.lines = append(b.lines, line{key: key{kind: more, at: g.root}, depth: depth + 1, n: rest})
		}
	}
	if len(g.follows) > 0 && b.p.isOpen(l.key, len(g.follows) <= manyFollow) {
		b.buckets(b.alone(g.follows), depth+1)
	}
}

// manyFollow is how many findings that follow are shown before they are folded.
const manyFollow = 6

// head adds a line with others below it, and says whether they are shown.
func (b *builder) head(l line, open bool) bool {
	l.folds, l.open = true, b.p.isOpen(l.key, open)
	b.lines = append(b.lines, l)
	return l.open
}

// isOpen reports whether a line was unfolded, or is by itself.
func (p *Pane) isOpen(k key, usually bool) bool {
	if open, chosen := p.folds[k]; chosen {
		return open
	}
	return usually
}

// finding is the one that a line shows: its own, or the first of many; nil where it
// shows none.
func (l *line) finding(all []session.Finding) *session.Finding {
	at := l.at
	switch l.kind {
	case many:
		at = l.members[0]
	case party, refuted, silenced, earlier:
		return nil
	case single, report, more:
	}
	if at >= len(all) {
		return nil
	}
	return &all[at]
}
