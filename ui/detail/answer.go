package detail

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

// An answer is what a response says, in brief.
type answer struct {
	row   uint32 // row is the response's.
	known bool
	code  string // code is an error's.
}

// answerWindow is how much of a response is looked at, in bytes.
const answerWindow = 1 << 20

// ensureAnswer has the response read for the title.
func (p *Pane) ensureAnswer(c *pane.Context) tea.Cmd {
	resp := p.sub.resp
	if resp == session.NoRow || p.answer.known && p.answer.row == resp {
		return nil
	}
	p.answer = answer{row: resp, known: true}
	row := c.Snap.Row(resp)
	if row.Flags&session.FlagJoined != 0 {
		return nil
	}
	log := c.Log
	return pane.Work(p, func() pane.Then {
		a := answer{row: resp, known: true}
		if body, err := recorder.ReadFrame(log, row, 0, answerWindow); err == nil {
			jsonrpc.Scan(body, func(m *jsonrpc.Message) { a.code = format.Visible(m.Field(jsonrpc.ErrorCode).Raw, 12) })
		}
		return func(*pane.Context) tea.Cmd {
			if a.row == p.sub.resp {
				p.answer = a
			}
			return nil
		}
	})
}
