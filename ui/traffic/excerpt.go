package traffic

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

const (
	excerptLen = 240     // characters of a text that are kept
	keepTexts  = 1000    // texts in one of the two halves of the cache
	loadAtOnce = 600     // rows that one command reads
	errorLen   = 8 << 10 // bytes of an error response that are looked at
)

// An excerpt is the beginning of a row's text, or the words for an event, safe
// to print.
type excerpt struct {
	text string
	len  uint32 // len is how long the body was.
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

// wordless reports whether a row has nothing to show but its text.
func wordless(s *session.Snapshot, r session.Row) bool {
	switch r.Kind {
	case session.RowBlank, session.RowTripResponse, session.RowTripEnd:
		return false
	case session.RowTrip: // Why there is no response has to be read.
		return r.Pair != session.NoRow && s.Row(r.Pair).Skip == 0
	case session.RowText, session.RowPart, session.RowHeader, session.RowStderr, session.RowIO, session.RowProc, session.RowGap:
		return true
	case session.RowGrowing:
		return r.Len > 0
	case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
	}
	return s.Name(r.Method) == "" || r.Kind == session.RowError || r.Failed() || isLog(s, r)
}

// load reads the texts of the rows on the screen and around it.
func (p *Pane) load(c *pane.Context) tea.Cmd {
	if p.texts.busy || c.Log == nil {
		return nil
	}
	list, h := p.list(), min(max(p.h, 50), loadAtOnce/3)
	top := p.where(h)
	from, to := max(0, top-h), min(len(list), top+2*h)
	var rows []uint32
	for i := from; i < to; i++ {
		r := c.Snap.Row(list[i])
		if !wordless(c.Snap, r) {
			continue
		}
		x, ok := p.texts.of(list[i])
		grows := r.Kind != session.RowError && r.Kind != session.RowResult && r.Kind != session.RowNotification // A message does not.
		if !ok || grows && x.len < r.Len && x.len < excerptLen {
			rows = append(rows, list[i])
		}
	}
	if len(rows) == 0 {
		return nil
	}
	p.texts.busy = true
	snap, log := c.Snap, c.Log
	return pane.Work(p, func() pane.Then {
		texts := make([]excerpt, len(rows))
		read := newBodies(log)
		for k, i := range rows {
			r := snap.Row(i)
			if r.Kind == session.RowTrip {
				r = snap.Row(r.Pair)
			}
			texts[k] = excerpt{readText(read, r, isLog(snap, r)), snap.Row(i).Len}
		}
		return func(c *pane.Context) tea.Cmd {
			e := &p.texts
			e.busy = false
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

// readText reads the beginning of a row's body, or words its event.
func readText(read *bodies, r session.Row, logs bool) string {
	if !hasBody(r.Kind) {
		rec := read.read.Record(r.Off)
		if rec == nil {
			return "(cannot be read)"
		}
		return format.Event(rec)
	}
	most := int64(4 * excerptLen)
	switch {
	case r.Kind == session.RowTripResponse:
	case r.Kind == session.RowError, r.Failed():
		most = errorLen
	case logs:
		most = logLen
	}
	body, err := read.read.Read(r, most)
	if err != nil {
		return "(cannot be read)"
	}
	switch {
	case r.Kind == session.RowTripResponse:
	case r.Kind == session.RowError, r.Failed():
		return errorWords(body)
	case logs:
		return logWords(body)
	}
	return format.Visible(body, excerptLen)
}

// errorWords is the code and the message of an error response, or the first text of a
// tool's result; empty where it is longer than errorLen.
func errorWords(body []byte) (words string) {
	jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		if m.Kind == jsonrpc.Result {
			words = format.Visible([]byte(jsonrpc.Complaint(m.Result.In(body))), excerptLen)
			return
		}
		text, _ := m.Field(jsonrpc.ErrorMessage).Unquoted()
		words = format.Visible(fmt.Appendf(nil, "%s %s", m.Field(jsonrpc.ErrorCode).Raw, text), excerptLen)
	})
	return strings.TrimSpace(words)
}
