package traffic

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/content"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

const (
	excerptLen = content.GistLen // characters of a text that are kept
	keepTexts  = 1000            // texts in one of the two halves of the cache
	loadAtOnce = 600             // rows that one command reads
)

// An excerpt is the beginning of a row's text, or the words for an event, safe
// to print.
type excerpt struct {
	text string
	by   string // by is who decided on the row, empty for nobody.
	len  uint32 // len is how long the body was.

	rules uint64 // rules has a bit for each colour rule that selects the row by its body.
}

// excerpts are the texts of the rows that have been on the screen lately: those
// used since the halves changed places, and those before.
type excerpts struct {
	now, old map[uint32]excerpt
	busy     bool
}

func (e *excerpts) of(i uint32) (excerpt, bool) {
	if x, ok := e.now[i]; ok {
		return x, true
	}
	x, ok := e.old[i]
	return x, ok
}

// named reports whether a row has something to show besides its text.
func named(s *session.Snapshot, r session.Row) bool { return s.Name(r.Method) != "" }

// worded reports whether a row has a text to read.
func worded(s *session.Snapshot, r session.Row) bool {
	switch r.Kind {
	case session.RowBlank, session.RowTripResponse, session.RowTripEnd:
		return false
	case session.RowTrip: // Why there is no response has to be read.
		return r.Pair != session.NoRow && s.Row(r.Pair).Skip == 0
	case session.RowGrowing:
		return r.Len > 0
	case session.RowBatch:
		return !named(s, r)
	default:
		return true
	}
}

// isMessage reports whether a row is one message.
func isMessage(r session.Row) bool { return r.Kind >= session.RowRequest && r.Kind <= session.RowError }

// load reads the texts of the rows on the screen and around it.
func (p *Pane) load(c *pane.Context) tea.Cmd {
	if p.texts.busy || c.Log == nil {
		return nil
	}
	list, h := p.shown(), min(max(p.h, 50), loadAtOnce/3)
	top := p.where(h)
	from, to := max(0, top-h), min(len(list), top+2*h)
	var rows []uint32
	for i := from; i < to; i++ {
		if p.unread(c.Snap, list[i]) {
			rows = append(rows, list[i])
		}
		if pair := c.Snap.Row(list[i]).Pair; p.folds.inLine(c.Snap, list[i]) && p.unread(c.Snap, pair) {
			rows = append(rows, pair)
		}
	}
	return p.loadRows(c, rows)
}

// loadRows reads the texts of rows.
func (p *Pane) loadRows(c *pane.Context, rows []uint32) tea.Cmd {
	if len(rows) == 0 {
		return nil
	}
	p.texts.busy = true
	snap, log, rules := c.Snap, c.Log, c.Colours
	return pane.Work(p, func() pane.Then {
		texts := make([]excerpt, len(rows))
		read := newBodies(log)
		for k, i := range rows {
			r := snap.Row(i)
			if r.Kind == session.RowTrip {
				r = snap.Row(r.Pair)
			}
			texts[k] = excerpt{readText(read, snap, r), readBy(read, r), snap.Row(i).Len, rulesOf(rules, read, snap, i)}
		}
		return func(c *pane.Context) tea.Cmd {
			e := &p.texts
			e.busy = false
			if !sameRules(rules, c.Colours) {
				return p.load(c)
			}
			for k, row := range rows {
				if e.now == nil || len(e.now) >= keepTexts {
					e.now, e.old = make(map[uint32]excerpt, keepTexts), e.now
				}
				e.now[row] = texts[k]
			}
			return p.load(c)
		}
	})
}

// unread reports whether the text of a row is to be read.
func (p *Pane) unread(s *session.Snapshot, i uint32) bool {
	r := s.Row(i)
	if !worded(s, r) {
		return false
	}
	x, ok := p.texts.of(i)
	return !ok || !isMessage(r) && x.len < r.Len && x.len < excerptLen
}

// longestBy is how much of who decided on a row is shown, in characters.
const longestBy = 60

// readBy reads who decided on a row; empty for nobody.
func readBy(read *bodies, r session.Row) string {
	if r.Flags&session.FlagDecided == 0 {
		return ""
	}
	if rec := read.read.Record(r.Off); rec != nil {
		return format.Visible([]byte(rec.By), longestBy)
	}
	return ""
}

// way says what became of a row that did not cross, and by whom; empty for what crossed.
func (p *Pane) way(i uint32, r session.Row) string {
	word := wayWord(r)
	x, ok := p.texts.of(i)
	if !ok || x.by == "" {
		return word
	}
	// What a person held was sent on later, with a filter for its reason.
	filter, person := strings.CutPrefix(x.by, "hold: ")
	response := r.Kind == session.RowResult || r.Kind == session.RowError
	_, done, decided := strings.Cut(x.by, "; ")
	switch {
	case person && r.Way == session.WayIn:
		return "held by " + filter
	case person && !response:
		return "released"
	case decided && r.Way == session.WayOut && !strings.Contains(done, ": "):
		return done
	}
	return word + " by " + x.by
}

// readText reads the beginning of a row's body, of a message what it says, or words its
// event.
func readText(read *bodies, s *session.Snapshot, r session.Row) string {
	if !hasBody(r.Kind) {
		rec := read.read.Record(r.Off)
		if rec == nil {
			return "(cannot be read)"
		}
		return format.Event(rec)
	}
	said, most := isMessage(r) && (named(s, r) || r.Kind == session.RowError), int64(4*excerptLen)
	if said {
		most = content.GistOf
	}
	body, err := read.read.Read(r, most)
	switch {
	case err != nil:
		return "(cannot be read)"
	case said:
		return content.Gist(body, s.Name(r.Method), s.Name(r.Target))
	}
	return format.Visible(body, excerptLen)
}
