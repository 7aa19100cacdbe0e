package stats

import (
	"cmp"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/ui/format"
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
	write      func(int64) string
}{
	method:    {"method", "method", 0, nil, nil},
	count:     {"count", "count", 9, func(m *session.MethodStats) int64 { return m.Count }, format.Count},
	pending:   {"pending", "pending", 8, func(m *session.MethodStats) int64 { return m.Pending }, unlessZero(format.Count)},
	failed:    {"errors", "errors", 7, func(m *session.MethodStats) int64 { return m.Errors }, unlessZero(format.Count)},
	cancelled: {"cancelled", "cancelled", 10, func(m *session.MethodStats) int64 { return m.Cancelled }, unlessZero(format.Count)},
	p50:       {"p50", "median latency", 8, func(m *session.MethodStats) int64 { return m.P50 }, unlessZero(format.Duration)},
	p95:       {"p95", "95th percentile", 8, func(m *session.MethodStats) int64 { return m.P95 }, unlessZero(format.Duration)},
	p99:       {"p99", "99th percentile", 8, func(m *session.MethodStats) int64 { return m.P99 }, unlessZero(format.Duration)},
	most:      {"max", "longest latency", 8, func(m *session.MethodStats) int64 { return m.Max }, unlessZero(format.Duration)},
	bytesOut:  {"asked", "bytes asked", 7, func(m *session.MethodStats) int64 { return m.BytesOut }, unlessZero(format.Size)},
	bytesIn:   {"answered", "bytes answered", 9, func(m *session.MethodStats) int64 { return m.BytesIn }, unlessZero(format.Size)},
}

// allColumns are the columns in their order.
var allColumns = []column{method, count, pending, failed, cancelled, p50, p95, p99, most, bytesOut, bytesIn}

// byNeed are the columns besides method, that without which the others say least
// first.
var byNeed = []column{count, p50, failed, p95, most, bytesIn, pending, p99, bytesOut, cancelled}

func unlessZero(write func(int64) string) func(int64) string {
	return func(v int64) string {
		if v == 0 {
			return ""
		}
		return write(v)
	}
}

// take sorts new numbers in, and sums them up. The cursor stays with its method.
func (p *Pane) take(list []session.MethodStats) {
	at, had := p.selected()
	p.rows = append(p.rows[:0], list...)
	p.sum, p.low, p.high = session.MethodStats{}, 0, 0
	for i := range p.rows {
		m := &p.rows[i]
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
	p.order()
	if had {
		p.find(at)
	}
}

// order sorts the rows: numbers the greatest first, methods from A to Z. Equal
// ones stay in the order in which they were first seen.
func (p *Pane) order() {
	value := columns[p.sort].value
	slices.SortStableFunc(p.rows, func(a, b session.MethodStats) int {
		var d int
		if value == nil {
			d = strings.Compare(a.Name, b.Name)
		} else {
			d = cmp.Compare(value(&b), value(&a))
		}
		if p.turn {
			d = -d
		}
		return d
	})
}

// find puts the cursor on a method.
func (p *Pane) find(m session.MethodStats) {
	for i := range p.rows {
		if p.rows[i].Name == m.Name && p.rows[i].Sender == m.Sender {
			p.list.At = i
			return
		}
	}
}

// sortBy changes what the rows are sorted by.
func (p *Pane) sortBy(by column, turn bool) {
	at, had := p.selected()
	p.sort, p.turn = by, turn
	p.order()
	if had {
		p.find(at)
	}
}

// plain writes a row as one line of names and values.
func plain(m session.MethodStats) string {
	parts := []string{m.Sender.Sender().String(), format.Visible([]byte(m.Name), 0)}
	for _, col := range allColumns {
		if value := columns[col].value; value != nil && value(&m) != 0 {
			parts = append(parts, columns[col].head+" "+columns[col].write(value(&m)))
		}
	}
	return strings.Join(parts, "  ")
}
