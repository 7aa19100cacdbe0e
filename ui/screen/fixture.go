package screen

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/redact/secrets"
	"wiretea/session"
	"wiretea/ui/detail"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

// Bounds of a fixture.
const (
	maxFixture = 4 << 20 // bytes
	shakeRows  = 64      // rows at the begin of a connection in which its handshake is looked for
	askedRows  = 100_000 // rows between a request and its answer
)

// copyFixture copies the selected exchange as a fixture.
func (t *tab) copyFixture() tea.Cmd {
	snap, log := t.Ctx.Snap, t.Ctx.Log
	row := snap.RequestOf(t.Ctx.Cursor)
	return func() tea.Msg {
		text, removed, err := fixture(snap, log, row)
		if err != nil {
			return pane.SayMsg{Text: err.Error(), Severity: session.Error}
		}
		what := "the fixture"
		if removed > 0 {
			what = "the fixture, without " + format.Plural(int64(removed), "secret")
		}
		return pane.CopyMsg{What: what, Text: text}
	}
}

// fixture writes an exchange as a conversation that tests can read, see
// docs/composer.md: the handshake of its connection, the request, what names it,
// and the answer, each frame with its time and its stream as it was on the wire.
// Secrets are replaced and counted.
//
//	-- conversation --
//	12ms c2s {"jsonrpc":"2.0","id":1,"method":"ping"}
//	14ms s2c! "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n"
func fixture(snap *session.Snapshot, log recorder.Log, row uint32) (text string, removed int, err error) {
	req := snap.Row(row)
	var b strings.Builder
	name := strings.TrimSpace(snap.Name(req.Method) + " " + snap.Name(req.Target))
	fmt.Fprintf(&b, "%s\n", format.Visible([]byte(name), 200))
	if h := snap.Header(); h != nil {
		fmt.Fprintf(&b, "From a session of %s, frame %d.\n", format.Visible([]byte(h.Tool), 60), req.N)
	}
	b.WriteString("\n-- conversation --\n")
	w := fixtureWriter{out: &b, last: -1}
	w.line(0, "proc start")
	for _, at := range fixtureRows(snap, row) {
		body, end, err := detail.Frame(snap, log, at)
		if err != nil {
			return "", 0, err
		}
		r := snap.Row(at)
		clean, n := withoutSpans(body)
		removed += n
		w.frame(r, clean, end)
		if b.Len() > maxFixture {
			return "", 0, errors.New("the exchange is longer than a fixture can be, " + format.Size(maxFixture))
		}
	}
	w.line(w.last+1e6, "end")
	return b.String(), removed, nil
}

// fixtureRows are the rows of a fixture: the handshake, the exchange, and what
// names its request.
func fixtureRows(snap *session.Snapshot, row uint32) []uint32 {
	req := snap.Row(row)
	var rows []uint32
	seen := 0
	for i := range row {
		r := snap.Row(i)
		if r.Conn != req.Conn {
			continue
		}
		if seen++; seen > shakeRows {
			break
		}
		switch snap.Name(r.Method) {
		case "initialize", "server/discover", "notifications/initialized":
			rows = append(rows, i)
		}
	}
	rows = append(rows, row)
	last := uint32(snap.Len())
	if req.Pair != session.NoRow {
		last = req.Pair
	}
	for i := row + 1; i < min(last, row+askedRows); i++ {
		if r := snap.Row(i); r.Conn == req.Conn && r.Kind == session.RowNotification && r.Pair == row {
			rows = append(rows, i)
		}
	}
	if req.Pair != session.NoRow && req.Pair < uint32(snap.Len()) {
		rows = append(rows, req.Pair)
	}
	return rows
}

// A fixtureWriter writes the lines of a conversation. Their times rise.
type fixtureWriter struct {
	out  *strings.Builder
	last int64
}

func (w *fixtureWriter) line(t int64, text string) {
	// Tests name entries by their times: in microseconds, and none twice.
	if t = t / 1e3 * 1e3; t <= w.last {
		t = w.last + 1e3
	}
	w.last = t
	fmt.Fprintf(w.out, "%sms %s\n", strconv.FormatFloat(float64(t)/1e6, 'f', -1, 64), text)
}

func (w *fixtureWriter) frame(r session.Row, body, end []byte) {
	stream := r.Stream.String()
	switch r.Way {
	case session.WayOut:
		stream += "/out"
	case session.WayIn:
		stream += "/in"
	case session.Crossed:
	}
	plain := len(body) > 0 && utf8.Valid(body) && !bytes.ContainsAny(body, "\r\n\x00") && body[0] != ' ' && body[0] != '\t' && !bytes.HasPrefix(body, []byte("-- "))
	if string(end) == "\n" && plain {
		w.line(r.T, stream+" "+string(body))
		return
	}
	w.line(r.T, stream+"! "+strconv.QuoteToASCII(string(body)+string(end)))
}

// withoutSpans replaces the secrets of a frame, and counts them. JSON stays
// JSON: a number that is one becomes a text.
func withoutSpans(body []byte) ([]byte, int) {
	var finder secrets.Finder
	found := finder.Find(body)
	if len(found) == 0 {
		return body, 0
	}
	var out []byte
	at := 0
	for _, s := range found {
		word := "REMOVED"
		if number(body, s.From, s.To) {
			word = `"REMOVED"`
		}
		out = append(append(out, body[at:s.From]...), word...)
		at = s.To
	}
	return append(out, body[at:]...), len(found)
}

// number reports whether a part of JSON is a number outside of strings: what
// stands around it then is not part of a word.
func number(body []byte, from, to int) bool {
	if c := body[from]; c != '-' && (c < '0' || c > '9') {
		return false
	}
	before, after := bytes.TrimRight(body[:from], " \t"), bytes.TrimLeft(body[to:], " \t")
	return len(before) > 0 && len(after) > 0 && strings.IndexByte(":[,", before[len(before)-1]) >= 0 && strings.IndexByte(",]}", after[0]) >= 0
}
