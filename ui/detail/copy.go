package detail

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/ui/pane"
)

const (
	maxIndent = 16 << 20 // bytes of JSON that are indented for the editor
	maxCall   = 1 << 20  // bytes of a request that is copied as a command line
)

// Frame reads a row's value and its terminator, as they were on the wire. Lines of one
// value come together.
func Frame(snap *session.Snapshot, log recorder.Log, row uint32) (body, end []byte, err error) {
	b := recorder.NewBodyReader(log, snap, row, maxShown)
	err = b.Read(context.Background(), maxShown)
	return b.Body(), b.Bytes()[len(b.Body()):], err
}

// edit opens the frame that is shown, or the row's own.
func (p *Pane) edit(c *pane.Context) tea.Cmd {
	row := p.sub.frame(p.tab())
	if row == session.NoRow {
		row = p.sub.row
	}
	raw := p.tab() == rawTab
	snap, log := c.Snap, c.Log
	return func() tea.Msg {
		body, _, err := Frame(snap, log, row)
		if err != nil {
			return pane.Failed(err)
		}
		name := fmt.Sprintf("frame-%d", snap.Row(row).N)
		if raw || len(body) == 0 || !json.Valid(body) {
			return pane.EditMsg{Name: name + ".txt", Body: body}
		}
		var pretty bytes.Buffer
		if len(body) <= maxIndent && json.Indent(&pretty, body, "", "  ") == nil {
			pretty.WriteByte('\n')
			body = pretty.Bytes()
		}
		return pane.EditMsg{Name: name + ".json", Body: body}
	}
}

// copyValue copies the value under the cursor as it is, or the line of a
// list.
func (p *Pane) copyValue() tea.Cmd {
	if v := p.view(); v != nil {
		value := v.Value()
		return func() tea.Msg { return pane.CopyMsg{What: "the value", Text: string(value)} }
	}
	if p.tab() == contentTab {
		return p.copyLine()
	}
	if at := p.lists[p.tab()].At; at >= 0 && at < len(p.sheet.items) {
		var b strings.Builder
		for _, part := range p.sheet.items[at].parts {
			b.WriteString(part.text)
		}
		return pane.Tell(pane.CopyMsg{What: "the line", Text: strings.TrimSpace(b.String())})
	}
	return nil
}

// copyRaw copies the row's frame without its terminator.
func (p *Pane) copyRaw(c *pane.Context) tea.Cmd {
	if p.sub.row == session.NoRow || p.sub.isEvent() {
		return nil
	}
	snap, log, row := c.Snap, c.Log, p.sub.row
	return func() tea.Msg {
		body, _, err := Frame(snap, log, row)
		if err != nil {
			return pane.Failed(err)
		}
		return pane.CopyMsg{What: "the raw frame", Text: string(body)}
	}
}

// noCall says why there is no command line for the request.
func (p *Pane) noCall(c *pane.Context) string {
	switch {
	case p.sub.row == session.NoRow:
		return "no frame is selected"
	case p.sub.req == session.NoRow && p.sub.trip != session.NoRow && p.sub.isEvent():
		return "" // It is copied for curl.
	case p.sub.req == session.NoRow:
		return "no request here"
	}
	r := c.Snap.Row(p.sub.req)
	switch {
	case r.Stream != session.C2S:
		return "this is the server's request"
	case r.Len > maxCall:
		return "the request is too long for a command line"
	case c.Header == nil || len(c.Header.Server()) == 0:
		return "the server's command is not known"
	}
	return ""
}

// copyCall copies a command line that sends the request to a new server.
func (p *Pane) copyCall(c *pane.Context) tea.Cmd {
	switch {
	case p.noCall(c) != "":
		return nil
	case p.sub.req == session.NoRow:
		return p.copyCurl(c)
	}
	snap, log, row, header := c.Snap, c.Log, p.sub.req, c.Header
	version := ""
	if conn := snap.Conn(int(snap.Row(row).Conn)); conn != nil {
		version = conn.VersionText
	}
	return func() tea.Msg {
		legs := legsOf(snap, row)
		body, _, err := Frame(snap, log, legs[0])
		if err != nil {
			return pane.Failed(err)
		}
		var asked []string
		for _, leg := range legs {
			asked = append(asked, askedFor(snap, log, leg)...)
		}
		own := *header
		own.As = append(slices.Clone(own.As), credentials(snap, log, row, own.As)...)
		return pane.CopyMsg{What: "the command line", Text: CallLine(&own, version, body, asked)}
	}
}

// credentials are the options with which wiretea call sends credentials as the HTTP
// request of a message did that as does not send; they are taken from variables.
func credentials(snap *session.Snapshot, log recorder.Log, row uint32, as []string) []string {
	trip := snap.TripRow(row)
	var rec session.Record
	if trip == session.NoRow || recorder.NewReader(log, snap.Row(trip).Off).Next(&rec) != nil || rec.Kind != session.RecHTTP {
		return nil
	}
	var words []string
	for i := range rec.HTTP.Fields {
		f := &rec.HTTP.Fields[i]
		sends := func(flag string) bool { return strings.HasPrefix(strings.ToLower(flag), strings.ToLower(f.Name)+"=") }
		switch bearer := strings.EqualFold(f.Name, "Authorization") && strings.EqualFold(f.Value, "Bearer"); {
		case f.Secret == nil, strings.EqualFold(f.Name, "Mcp-Session-Id"), slices.ContainsFunc(as, sends):
		case bearer && (slices.Contains(as, "--token-env") || slices.Contains(as, "--login")):
		case bearer:
			words = append(words, "--token-env", export.Variable(f))
		default:
			words = append(words, "--header-env", f.Name+"="+export.Variable(f))
		}
	}
	return words
}

// noCurl says why there is no HTTP request to copy.
func (p *Pane) noCurl() string {
	switch {
	case p.sub.row == session.NoRow:
		return "no frame is selected"
	case p.sub.trip == session.NoRow:
		return "the row is not part of an HTTP round trip"
	}
	return ""
}

// copyCurl copies the HTTP request that the row belongs to as a command for curl.
func (p *Pane) copyCurl(c *pane.Context) tea.Cmd {
	if p.noCurl() != "" {
		return nil
	}
	snap, log, row := c.Snap, c.Log, p.sub.trip
	return func() tea.Msg {
		line, err := export.CurlOf(context.Background(), log, snap, row)
		if err != nil {
			return pane.Failed(err)
		}
		return pane.CopyMsg{What: "the curl command", Text: line}
	}
}

// legsOf are the requests that were the same one: it, and its repetitions with
// what the server asked for in between.
func legsOf(snap *session.Snapshot, req uint32) []uint32 {
	r := snap.Row(req)
	if r.Op == 0 {
		return []uint32{req}
	}
	var legs []uint32
	from, to := req-min(req, maxAround), min(req+maxAround, uint32(snap.Len()))
	for i := from; i < to; i++ {
		leg := snap.Row(i)
		if leg.Op == r.Op && leg.Kind == session.RowRequest && leg.Stream == r.Stream && leg.Conn == r.Conn && leg.Method == r.Method {
			legs = append(legs, i)
		}
	}
	return legs
}

// Of what came for a request so much is looked at.
const (
	maxAround = 100_000 // rows until its answer
	maxAsking = 1 << 20 // bytes of its answer
)

// askedFor are the methods by which the server asked back for a request: with
// requests of its own before it answered, or in the modern era in its answer.
func askedFor(snap *session.Snapshot, log recorder.Log, req uint32) []string {
	var asked []string
	r := snap.Row(req)
	end := min(r.Pair, uint32(snap.Len()))
	for i := req + 1; i < min(end, req+maxAround); i++ {
		if q := snap.Row(i); q.Kind == session.RowRequest && q.Stream == session.S2C && q.Conn == r.Conn {
			asked = append(asked, snap.Name(q.Method))
		}
	}
	if end != r.Pair || snap.Row(end).Len > maxAsking {
		return asked
	}
	body, _, err := Frame(snap, log, end)
	if err != nil || !bytes.Contains(body, []byte("input_required")) {
		return asked
	}
	for _, method := range questions.Get() {
		if bytes.Contains(body, []byte(`"`+method+`"`)) {
			asked = append(asked, method)
		}
	}
	return asked
}
