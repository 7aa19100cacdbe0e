package statistics

import (
	"cmp"
	"math"
	"slices"

	"wiretea/session"
)

// people are the times in which a connection waited for a person. Nil people have waited
// for nobody.
type people struct {
	ended []span // ended are the questions, by when they ended.
	spans []span // spans are their times, which do not overlap and ascend.
	sums  []int64
}

type span struct{ from, to int64 }

// peopleOf finds when the connections of a session waited for a person, by Row.Conn. It
// looks at every row.
func peopleOf(s *session.Snapshot) map[uint16]*people {
	all := map[uint16]*people{}
	c := &counter{s: s}
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind != session.RowRequest || row.Stream != session.S2C || !c.ofPeople(&row) {
			continue
		}
		p := all[row.Conn]
		if p == nil {
			p = &people{}
			all[row.Conn] = p
		}
		to, open := c.until(i, &row)
		p.add(span{row.T, to}, open)
	}
	for _, p := range all {
		slices.SortFunc(p.ended, func(a, b span) int { return cmp.Compare(a.to, b.to) })
		sum := int64(0)
		for _, one := range p.spans {
			p.sums = append(p.sums, sum)
			sum += one.to - one.from
		}
	}
	return all
}

// until is when a request that waits for a person no longer does; open: it still does.
func (c *counter) until(i uint32, row *session.Row) (t int64, open bool) {
	if _, answered := c.s.Latency(i); answered {
		return max(row.T, c.s.Row(row.Pair).T), false
	}
	if row.Flags&(session.FlagCancelled|session.FlagLost) != 0 {
		return row.T, false // When that was is not known: nothing is left out.
	}
	return c.s.Clock(), true
}

// ofPeople reports whether a person answers a request.
func (c *counter) ofPeople(row *session.Row) bool {
	if row.Stream != session.S2C {
		return false
	}
	conn := c.s.Conn(int(row.Conn))
	return conn != nil && conn.ForHuman(&session.Exchange{Sender: row.Stream, Method: c.s.Name(row.Method)})
}

// add adds a time, which begins no earlier than the one before.
func (p *people) add(one span, open bool) {
	asked := one
	if open {
		asked.to = math.MaxInt64
	}
	p.ended = append(p.ended, asked)
	if last := len(p.spans) - 1; last >= 0 && one.from <= p.spans[last].to {
		p.spans[last].to = max(p.spans[last].to, one.to)
		return
	}
	p.spans = append(p.spans, one)
}

// before is how long a person was waited for before a time.
func (p *people) before(t int64) int64 {
	at, _ := slices.BinarySearchFunc(p.spans, t, func(s span, t int64) int { return cmp.Compare(s.from, t) })
	if at == 0 {
		return 0
	}
	last := p.spans[at-1]
	return p.sums[at-1] + min(t, last.to) - last.from
}

// mostQuestions bounds how many questions are looked at for one request; of more, all count.
const mostQuestions = 64

// between is how long a person was waited for between two times, for a request that was
// answered at a time, math.MaxInt64 = it waits. A question that is answered later is not what
// it waited for.
func (p *people) between(from, to, answered int64) int64 {
	if p == nil {
		return 0
	}
	first, at := slices.BinarySearchFunc(p.ended, from, func(s span, t int64) int { return cmp.Compare(s.to, t) })
	if at {
		first++
	}
	last := first
	for last < len(p.ended) && p.ended[last].to <= answered {
		if last++; last-first > mostQuestions {
			return p.before(to) - p.before(from)
		}
	}
	total, low := int64(0), to
	for _, one := range slices.Backward(p.ended[first:last]) {
		if lo, hi := max(one.from, from), min(one.to, low); hi > lo {
			total += hi - lo
			low = lo
		}
	}
	return total
}
