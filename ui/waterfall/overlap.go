package waterfall

import (
	"math"

	"wiretea/session"
	"wiretea/ui/format"
)

const (
	blockSize  = 256 // requests in a block
	mostBlocks = 16  // blocks that one View looks at
)

// blocks are the times of the requests, a block of them at a time: from the first byte of
// one to the last byte of the answer of another. What waits goes on for ever.
func (c *chart) blocks(members []member) (all []gap) {
	for i := range c.requests.len() {
		at := c.requests.at(i)
		m := &members[at.Session]
		row := m.snap.Row(at.Row)
		from, to := m.on(begun(m.snap, at.Row, &row)), int64(math.MaxInt64)
		if took, answered := m.snap.Latency(at.Row); answered {
			to = m.on(row.T + took)
		} else if row.Flags&(session.FlagCancelled|session.FlagLost) != 0 {
			to = m.on(row.T)
		}
		if i%blockSize == 0 {
			all = append(all, gap{from, to})
		}
		b := &all[len(all)-1]
		b.from, b.to = min(b.from, from), max(b.to, to)
	}
	return all
}

// overlapping says which requests waited at the same time as the selected one: it names the
// one that did so longest.
func (d *drawing) overlapping() string {
	at, list := d.p.list.At, &d.p.got.requests
	q := d.p.subject(d.c, list.at(at))
	from, to, looked := q.begin(), q.until(), 0
	n, longest, name, more := 0, int64(0), "", false
	for k, b := range d.p.got.spans {
		if b.from >= to || b.to <= from {
			continue
		}
		if looked++; looked > mostBlocks {
			more = true
			break
		}
		for i := k * blockSize; i < min((k+1)*blockSize, list.len()); i++ {
			other := d.p.subject(d.c, list.at(i))
			shared := min(to, other.until()) - max(from, other.begin())
			if i == at || shared <= 0 {
				continue
			}
			if n++; shared > longest {
				longest, name = shared, d.name(&other)
			}
		}
	}
	words := " · at the same time as " + name
	switch {
	case n == 0:
		return ""
	case n == 1 && more:
		return words + " and others"
	case n == 1:
		return words
	case more:
		words += " and at least "
	default:
		words += " and "
	}
	return words + format.Plural(int64(n-1), "other")
}
