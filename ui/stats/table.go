package stats

import (
	"cmp"
	"slices"
	"strings"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/text"
)

// A column of the table that can be sorted by.
type column uint8

const (
	method column = iota
	count
	pending
	failed
	cancelled
	p50
	p95
	p99
	most
	bytesOut
	bytesIn
	numColumns
)

// columns say of each column its head, its words, its width in cells, and what
// it shows.
var columns = [numColumns]struct {
	head, word string
	width      int
	value      func(*session.MethodStats) int64
	format     func(int64) string
}{
	method:    {"method", "method", 0, nil, nil},
	count:     {"count", "count", 9, func(m *session.MethodStats) int64 { return m.Count }, text.Count},
	pending:   {"pending", "pending", 8, func(m *session.MethodStats) int64 { return m.Pending }, text.Count},
	failed:    {"errors", "errors", 7, func(m *session.MethodStats) int64 { return m.Errors }, text.Count},
	cancelled: {"cancelled", "cancelled", 10, func(m *session.MethodStats) int64 { return m.Cancelled }, text.Count},
	p50:       {"p50", "median latency", 8, func(m *session.MethodStats) int64 { return m.P50 }, text.Duration},
	p95:       {"p95", "95th percentile", 8, func(m *session.MethodStats) int64 { return m.P95 }, text.Duration},
	p99:       {"p99", "99th percentile", 8, func(m *session.MethodStats) int64 { return m.P99 }, text.Duration},
	most:      {"max", "longest latency", 8, func(m *session.MethodStats) int64 { return m.Max }, text.Duration},
	bytesOut:  {"asked", "bytes asked", 7, func(m *session.MethodStats) int64 { return m.BytesOut }, text.Size},
	bytesIn:   {"answered", "bytes answered", 9, func(m *session.MethodStats) int64 { return m.BytesIn }, text.Size},
}

// allColumns are the columns in their order.
var allColumns = []column{method, count, pending, failed, cancelled, p50, p95, p99, most, bytesOut, bytesIn}

// byNeed are the columns besides method, that without which the others say least
// first.
var byNeed = []column{count, p50, failed, p95, most, bytesIn, pending, p99, bytesOut, cancelled}

// write writes a value of the column; zero is empty, but as a count.
func (c column) write(v int64) string {
	if v == 0 && c != count {
		return ""
	}
	return columns[c].format(v)
}

// A row is a line of the table, or a request that stands out.
type row struct {
	session.MethodStats
	session int              // session is that of a target in a merged log, from 1; 0 = all.
	target  string           // target is what it acts on, for a row below its method; empty = it is a method's.
	line    *statistics.Line // line is what was counted of it, nil before that was counted.

	label   string // label is in what it stands out, empty = it is of the table.
	extreme *statistics.Extreme
}

// key is what the row is about.
func (r *row) key() statistics.Key {
	return statistics.Key{Sender: r.Sender, Method: r.Name, Target: r.target, Session: r.session}
}

// unfolds reports whether there is something below the row.
func (r *row) unfolds() bool {
	return r.label == "" && r.target == "" && r.line != nil && len(r.line.Targets) > 0
}

// take sorts new numbers in, and sums them up.
func (p *Pane) take(list []session.MethodStats) {
	p.methods = p.methods[:0]
	for _, m := range list {
		p.methods = append(p.methods, row{MethodStats: m})
	}
	p.arrange()
}

// takeLines is take of what was counted.
func (p *Pane) takeLines(got *statistics.Statistics) {
	p.got, p.methods = got, p.methods[:0]
	for _, l := range got.Lines {
		p.methods = append(p.methods, row{MethodStats: l.MethodStats, line: l})
	}
	p.arrange()
}

// arrange makes the rows. The cursor stays with its row.
func (p *Pane) arrange() {
	at, had := p.selected()
	p.sum, p.low, p.high = session.MethodStats{}, 0, 0
	for i := range p.methods {
		m := &p.methods[i]
		p.sum.Count += m.Count
		p.sum.Pending += m.Pending
		p.sum.Errors += m.Errors
		p.sum.Cancelled += m.Cancelled
		p.sum.BytesOut += m.BytesOut
		p.sum.BytesIn += m.BytesIn
		p.sum.Max = max(p.sum.Max, m.Max)
		if m.P50 > 0 && (p.low == 0 || m.P50 < p.low) {
			p.low = m.P50
		}
	}
	p.high = p.sum.Max
	p.order(p.methods)
	p.rows = p.rows[:0]
	for _, m := range p.methods {
		p.rows = append(p.rows, m)
		if !m.unfolds() || !p.open[m.key()] {
			continue
		}
		var below []row
		for _, l := range m.line.Targets {
			below = append(below, row{MethodStats: l.MethodStats, target: l.Target, session: l.Session, line: l})
		}
		p.order(below)
		p.rows = append(p.rows, below...)
	}
	p.standOut()
	if had {
		p.find(at)
	}
}

// standOut adds the requests that stand out.
func (p *Pane) standOut() {
	if p.got == nil {
		return
	}
	for i := range p.got.Slowest {
		p.rows = append(p.rows, row{label: "slowest", extreme: &p.got.Slowest[i]})
	}
	for i := range p.got.Largest {
		p.rows = append(p.rows, row{label: "largest", extreme: &p.got.Largest[i]})
	}
	for _, l := range p.got.Failing {
		p.rows = append(p.rows, row{label: "failing", MethodStats: l.MethodStats, target: l.Target, session: l.Session, line: l})
	}
}

// order sorts rows: numbers the greatest first, names from A to Z. Equal ones stay in the
// order in which they were first seen.
func (p *Pane) order(rows []row) {
	value := columns[p.sort].value
	slices.SortStableFunc(rows, func(a, b row) int {
		var d int
		if value == nil {
			d = cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.target, b.target))
		} else {
			d = cmp.Compare(value(&b.MethodStats), value(&a.MethodStats))
		}
		if p.turn {
			d = -d
		}
		return d
	})
}

// find puts the cursor on a row.
func (p *Pane) find(r row) {
	for i := range p.rows {
		one := &p.rows[i]
		if one.label == r.label && one.key() == r.key() && (r.extreme == nil || *one.extreme == *r.extreme) {
			p.list.At = i
			return
		}
	}
	p.list.At = max(0, min(p.list.At, len(p.rows)-1))
}

// sortBy changes what the rows are sorted by.
func (p *Pane) sortBy(by column, turn bool) {
	p.sort, p.turn = by, turn
	p.arrange()
}

// unfold shows what the method under the cursor acts on, or folds it. It reports whether
// that changed anything.
func (p *Pane) unfold(on bool) bool {
	r, ok := p.selected()
	if !ok || r.label != "" {
		return false
	}
	k := r.key()
	if !on && r.target != "" {
		k.Target, k.Session = "", 0
		p.find(row{MethodStats: session.MethodStats{Name: r.Name, Sender: r.Sender}})
	} else if on && !r.unfolds() {
		return false
	}
	changed := p.open[k] != on
	p.open[k] = on
	p.arrange()
	return changed
}

// unfoldAll unfolds or folds all methods.
func (p *Pane) unfoldAll(on bool) {
	clear(p.open)
	for i := range p.methods {
		p.open[p.methods[i].key()] = on
	}
	p.arrange()
}

// plain writes a row as one line of names and values.
func plain(r row) string {
	if r.extreme != nil {
		return r.label
	}
	parts := []string{r.Sender.Sender().String(), text.Visible([]byte(r.Name), 0)}
	if r.target != "" {
		parts = append(parts, text.Visible([]byte(r.target), 0))
	}
	for _, col := range allColumns {
		if value := columns[col].value; value != nil && value(&r.MethodStats) != 0 {
			parts = append(parts, columns[col].head+" "+col.write(value(&r.MethodStats)))
		}
	}
	return strings.Join(parts, "  ")
}
