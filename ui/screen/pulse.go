package screen

import (
	"wiretea/ui/chart"
	"wiretea/ui/format"
	"wiretea/ui/style"
)

const (
	pulseSeconds = 12 // pulseSeconds is how many seconds the sparkline of the header shows.
	busyRows     = 20 // busyRows is from how many rows a second on a session is busy.
)

// A pulse counts the rows of a live session by second. The zero pulse has counted none.
type pulse struct {
	begun  bool
	second int64 // second is the latest one, of the session's time,
	rows   int   // and rows how many the session had then.
	counts [pulseSeconds]int64
}

// look takes the session's time in nanoseconds, and how many rows it has.
func (p *pulse) look(now int64, rows int) {
	second := now / 1e9
	if !p.begun || second < p.second || rows < p.rows { // An earlier moment is looked at.
		*p = pulse{begun: true, second: second, rows: rows}
		return
	}
	if second == p.second {
		return
	}
	gone := int(min(second-p.second, pulseSeconds))
	copy(p.counts[:], p.counts[gone:])
	clear(p.counts[pulseSeconds-gone:])
	// What came while nobody looked is spread over that time.
	for i := range gone {
		p.counts[pulseSeconds-gone+i] = int64(rows-p.rows) / (second - p.second)
	}
	p.second, p.rows = second, rows
}

// word is the sparkline of a busy session, empty of any other.
func (p *pulse) word(th *style.Theme) string {
	sum := int64(0)
	for _, n := range p.counts {
		sum += n
	}
	if sum < busyRows*pulseSeconds {
		return ""
	}
	line, _ := chart.Sparkline(p.counts[:], pulseSeconds, true)
	return th.Accent.Paint(line) + " " + format.Count(p.counts[pulseSeconds-1]) + th.Dim.Paint("/s")
}
