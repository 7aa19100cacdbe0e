package traffic

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/content"
	"wiretea/ui/keys"
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
	then string // then is what was decided on a row that had to wait for it; empty while it is not known.
	at   uint32 // at is how many rows there were when that was looked for.
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

// isAnswer reports whether a row is a response.
func isAnswer(r session.Row) bool {
	return r.Kind == session.RowResult || r.Kind == session.RowError
}

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
		if p.undecided(c, list[i]) {
			rows = append(rows, list[i])
		}
		rows = p.addUnread(c.Snap, rows, list[i])
	}
	return p.loadRows(c, rows)
}

// addUnread adds the rows whose texts the line of a row needs, as far as they are to be read.
func (p *Pane) addUnread(s *session.Snapshot, rows []uint32, row uint32) []uint32 {
	msg, answer := p.folds.line(s, row)
	for k, i := range [...]uint32{row, msg, answer} {
		if i != session.NoRow && (k == 0 || i != row) && p.unread(s, i) {
			rows = append(rows, i)
		}
	}
	return rows
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
			x := excerpt{text: readText(read, snap, r), by: readBy(read, r), len: snap.Row(i).Len, rules: rulesOf(rules, read, snap, i)}
			if waited(x.by) {
				x.then, x.at = readDecision(read, snap, i), uint32(snap.Len())
			}
			texts[k] = x
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

// undecided reports whether what was decided on a row is to be looked for again.
func (p *Pane) undecided(c *pane.Context, i uint32) bool {
	x, ok := p.texts.of(i)
	return ok && x.then == "" && waited(x.by) && int(x.at) < c.Snap.Len() && !c.Holds(c.Snap.Row(i))
}

// waited reports whether a row had to wait for a decision, because of who decided on it.
func waited(by string) bool {
	return strings.HasSuffix(by, session.ByAsked) || strings.HasSuffix(by, session.ByHeld)
}

// farOff is how many rows behind a message what was decided on it is looked for.
const farOff = 1 << 12

// readDecision reads what was decided on a row that had to wait; empty where nothing took its
// place.
func readDecision(read *bodies, s *session.Snapshot, i uint32) string {
	n := uint64(s.Row(i).N)
	for next := i + 1; next < min(uint32(s.Len()), i+farOff); next++ {
		r := s.Row(next)
		if r.Flags&session.FlagDecided == 0 || r.Way != session.WayOut {
			continue
		}
		if rec := read.read.Record(r.Off); rec != nil && rec.Of == n {
			_, done, _ := strings.Cut(rec.By, "; ")
			return text.Visible([]byte(done), longestBy)
		}
	}
	return ""
}

// longestBy is how much of who decided on a row is shown, in characters.
const longestBy = 60

// readBy reads who decided on a row; empty for nobody.
func readBy(read *bodies, r session.Row) string {
	if r.Flags&session.FlagDecided == 0 {
		return ""
	}
	if rec := read.read.Record(r.Off); rec != nil {
		return text.Visible([]byte(rec.By), longestBy)
	}
	return ""
}

// wait says of a row that had to wait for a decision what it waits for, or what was decided.
func (p *Pane) wait(c *pane.Context, x *excerpt, r session.Row) string {
	rule, asks := strings.CutSuffix(x.by, session.ByAsked)
	rule = "rule " + strings.TrimPrefix(strings.TrimSuffix(rule, session.ByHeld), "policy: ")
	does, did := " holds it", " held it"
	if asks {
		does, did = " asks", " asked"
	}
	switch {
	case x.then != "":
		return x.then + " (" + rule + did + ")"
	case c.Holds(r):
		// keys.Answer leads there too, unless a question waits.
		return "waits for a decision (" + c.Keys.WordOf(keys.ShowHeld, keys.Global) + "): " + rule + does
	case int(x.at) < c.Snap.Len():
		return rule + did
	}
	return rule + did + ", nothing went on"
}

// byRule reports whether who decided is a rule or a fault, and not a person.
func byRule(by string) bool {
	who, _, named := strings.Cut(by, ": ")
	return named && (who == "policy" || who == "fault" || who == "hold")
}

// way says what became of a row that did not cross, and by whom; empty for what crossed.
func (p *Pane) way(c *pane.Context, i uint32, r session.Row) string {
	word := wayWord(r)
	x, ok := p.texts.of(i)
	if !ok || x.by == "" {
		return word
	}
	if waited(x.by) {
		return p.wait(c, &x, r)
	}
	// What a person held was sent on later, with a filter for its reason.
	filter, person := strings.CutPrefix(x.by, "hold: ")
	response := r.Kind == session.RowResult || r.Kind == session.RowError
	_, done, decided := strings.Cut(x.by, "; ")
	switch {
	case person && r.Way == session.WayIn && c.Dropped(i):
		return "dropped, " + heldBy(filter)
	case person && r.Way == session.WayIn:
		return heldBy(filter)
	case person && !response:
		return "released"
	case decided && r.Way == session.WayOut && !byRule(done):
		return done
	}
	return word + " by " + x.by
}

// heldBy says why a message was held, of which by says who holds it: a filter, or that of a
// response its request was held.
func heldBy(by string) string {
	if by == session.ByFollowed {
		return "held as its request was"
	}
	return "held by " + by
}

// readText reads the beginning of a row's body, of a message what it says, or words its
// event.
func readText(read *bodies, s *session.Snapshot, r session.Row) string {
	if !r.Kind.HasBody() {
		rec := read.read.Record(r.Off)
		if rec == nil {
			return "(cannot be read)"
		}
		return rec.Words()
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
	return text.Visible(body, excerptLen)
}

const maxBody = 128 << 20 // longest body that is looked at whole

// bodies reads the bodies of rows from the log, of whole frames and of what a round trip
// says in its heads.
type bodies struct{ read *recorder.Bodies }

func newBodies(log recorder.Log) *bodies {
	if log == nil {
		return &bodies{}
	}
	return &bodies{recorder.NewBodies(log)}
}

// of returns the body of a row, at most maxBody bytes of it, and nothing where
// it cannot be read. It is valid until the next call.
func (b *bodies) of(row session.Row) []byte {
	switch {
	case b.read == nil || !row.Kind.HasBody():
		return nil
	case row.Kind.Event():
		if rec := b.read.Record(row.Off); rec != nil && rec.Kind == session.RecHTTP {
			return []byte(rec.HTTP.Head())
		}
		return nil
	}
	body, _ := b.read.Read(row, maxBody) // What cannot be read is left out.
	return body
}

// match reports whether a row matches a filter that depends on its body, and how many
// bytes that took. An HTTP request matches also where its response's head does.
func (b *bodies) match(f *filter.Filter, s *session.Snapshot, i uint32) (ok bool, size int) {
	r := s.Row(i)
	body := b.of(r)
	if f.Match(s, i, body) {
		return true, len(body)
	}
	size = len(body)
	if r.Kind == session.RowTrip && r.Pair != session.NoRow {
		body = b.of(s.Row(r.Pair))
		return f.Match(s, r.Pair, body), size + len(body)
	}
	return false, size
}
