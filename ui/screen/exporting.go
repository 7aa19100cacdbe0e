package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/recorder/redact"
	"wiretea/recorder/redact/secrets"
	sharing "wiretea/recorder/share"
	"wiretea/session"
	"wiretea/ui/detail"
	"wiretea/ui/format"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/pane"
)

// exportWords are the recording, the forms of exports, and the streams.
func exportWords(*tab) []string { return append(export.Names(), "recording", "c2s", "s2c", "stderr") }

// askExport opens the list of forms of an export.
func (s *Screen) askExport() tea.Cmd {
	b := &overlay.Menu{Name: "export", Close: func() { s.Open(nil) }, Box: keyhelp.Box{Entries: s.exports("without secrets", "with everything")}}
	b.Find()
	s.Open(b)
	return nil
}

// exports adds the forms of an export, which a search finds.
func (b *helpBox) exports() {
	b.Entries = append(b.Entries, b.screen.exports("export", "export")...)
	for i := range b.Entries {
		if e := &b.Entries[i]; e.Group == "export" {
			e.Page, e.Keys, e.Also = "export", "export "+e.Keys, keys.Also("export")
		}
	}
}

// exports are the forms of an export under the names of their groups. Each opens the
// command line with the name of a file in it, to be changed or agreed to.
func (s *Screen) exports(shared, exact string) []keyhelp.Entry {
	name := exportName(s.tab().Source.Path())
	entry := func(group, word, ending, says string) keyhelp.Entry {
		return keyhelp.Entry{Keys: word, Text: says, Group: group, Do: func() tea.Cmd {
			return s.prompt.Fill(s.asked.command, "export "+word+" "+name+ending)
		}}
	}
	h := s.tab().Ctx.Snap.Header()
	all := []keyhelp.Entry{entry(shared, "recording", ".redacted"+recorder.Suffix, "the recording, to open, check, replay or serve it")}
	for _, f := range export.Formats {
		if f.Name == "curl" && (h == nil || h.Trans != "http") {
			continue
		}
		all = append(all, entry(shared, f.Name, f.Ending, f.Says))
	}
	return append(all, entry(exact, "c2s", ".c2s", "every byte that the client sent"), entry(exact, "s2c", ".s2c", "every byte that the server sent"),
		entry(exact, "stderr", ".stderr", "every byte on stderr"))
}

// exportName is the beginning of the name of a file that is exported.
func exportName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".mcpcap")
	if path == "" || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
		return "session"
	}
	return name
}

// export writes the session in another form without its secrets, or one stream
// exactly as it crossed the wire. While all sessions are shown, they are written as one in
// the forms that can hold several.
func (s *Screen) export(t *tab, rest string) tea.Cmd {
	word, path, _ := strings.Cut(rest, " ")
	form, isForm := export.Lookup(word)
	stream, isStream := session.ParseStream(word)
	if path = strings.TrimSpace(path); path == "" || !isForm && !isStream && word != "recording" {
		return t.Say(session.Error, "export FORM FILE: "+strings.Join(exportWords(t), " "))
	}
	c := t.Ctx
	if isStream {
		return func() tea.Msg {
			n, err := writeNew(path, func(f *os.File) error { return export.Bytes(f, c.Log, export.Part{Stream: stream}) })
			return exported(word, path, n, err)
		}
	}
	what, write, of := form.Name, func(ctx context.Context, w io.Writer, m *export.Merged) error {
		return form.Write(ctx, w, m.Recordings[0])
	}, []*tab{t}
	switch {
	case s.sessions.All() && form.Merged != nil:
		what, write, of = fmt.Sprintf("%s of %d sessions", form.Name, len(s.tabs)), form.Merged, s.tabs
	case s.sessions.All():
		what += " of session " + s.sessions.Letter(t.Tab)
	}
	var recs []*export.Recording
	for _, t := range of {
		recs = append(recs, &export.Recording{Log: t.Ctx.Log, Snap: t.Ctx.Snap, Name: t.Source.Title(), Tool: "wiretea"})
	}
	share := func(f *os.File) (*redact.Redactor, error) {
		all, err := sharing.WriteAll(context.Background(), f, recs, write, redact.Options{})
		return append(all, nil)[0], err
	}
	if !isForm {
		what, share = word, func(f *os.File) (*redact.Redactor, error) {
			r, err := redact.Learn(context.Background(), c.Log, redact.Options{})
			if err != nil {
				return nil, err
			}
			return r, r.Write(context.Background(), f)
		}
	}
	return func() tea.Msg {
		begun := false
		n, err := writeNew(path, func(f *os.File) error {
			begun = true
			r, err := share(f)
			if r == nil {
				return err
			}
			n := 0
			for _, k := range r.Summary() {
				n += k.Secrets
			}
			if n == 0 {
				what += ", no secrets found"
			} else {
				what += ", " + format.Plural(int64(n), "secret") + " replaced"
			}
			return err
		})
		if err != nil && begun {
			_ = os.Remove(path) // A part of it says nothing.
		}
		return exported(what, path, n, err)
	}
}

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
