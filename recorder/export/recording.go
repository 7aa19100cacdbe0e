package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
)

// A Recording is a session to be exported, or several as one, of a merged log: then each has
// its letter. Its numbers of frames are those of its own recording.
type Recording struct {
	Log  recorder.Log
	Snap *session.Snapshot

	Name        string            // Name is what the recording is called: the file's name.
	Tool        string            // Tool is who exports: "wiretea/0.1.0".
	Filter      *filter.Filter    // Filter selects rows; nil = all.
	Findings    []session.Finding // Findings are those that are exported; nil = all of the snapshot's but the refuted ones.
	Notes       []Note            // Notes are marks and comments that go with text, pages and issues.
	WithSecrets bool              // WithSecrets: the log still has its secrets, and the export says so.

	// Moved, unless nil, is called from time to time with the number of rows done.
	Moved func(done, total int)

	bodies   *recorder.Bodies // bodies reads bodiesOf, the latest Log.
	bodiesOf recorder.Log

	letter string            // letter marks a session that was taken out of several; else empty.
	shown  []session.Finding // shown are the findings of the snapshot, without refuted ones; nil before they are asked for.
}

// A Note is a note on a frame of a session of a merged log, from 1; In is 0 where the log is that
// of one session.
type Note struct {
	recorder.Note
	In int
}

// merged reports whether there are several sessions.
func (r *Recording) merged() bool { return len(r.Snap.Members()) > 0 }

// members are the sessions by themselves.
func (r *Recording) members() []*Recording {
	if !r.merged() {
		return []*Recording{r}
	}
	var all []*Recording
	for i, name := range r.Snap.Members() {
		one := *r
		one.Snap, one.Name, one.letter = r.Snap.Of(i+1), name, session.Letter(i+1)
		all = append(all, &one)
	}
	return all
}

// letterOf is the letter of a row's session; empty where there is one only.
func (r *Recording) letterOf(row session.Row) string { return r.Snap.Letter(int(row.Conn)) }

// mark returns the letter of a row's session, with which its line begins; empty if there is one session.
func (r *Recording) mark(row session.Row) string {
	if letter := r.letterOf(row); letter != "" {
		return letter + " "
	}
	return ""
}

// findings are those that are exported.
func (r *Recording) findings() []session.Finding {
	if r.Findings != nil {
		return r.Findings
	}
	if r.shown == nil {
		d := analysis.Diagnose(r.Snap, r.Log, nil)
		r.shown = append([]session.Finding{}, d.Shown(r.Snap.Findings())...)
	}
	return r.shown
}

// worstFirst are the findings in the order of their severity.
func (r *Recording) worstFirst() []session.Finding {
	return slices.SortedStableFunc(slices.Values(r.findings()), func(a, b session.Finding) int { return int(b.Severity) - int(a.Severity) })
}

// missing says what the file lacks, so that the export lacks it too; empty where that is
// nothing.
func (r *Recording) missing() string {
	t := r.Snap.Totals()
	return t.Missing()
}

// writeMissing writes that in a line of its own, behind what makes it a comment.
func (r *Recording) writeMissing(w io.Writer, sign string) {
	if missing := r.missing(); missing != "" {
		fmt.Fprintf(w, "%smissing: %s\n", sign, missing)
	}
}

// peers is what both sides say of themselves.
func (r *Recording) peers() *recorder.Handshake {
	return recorder.ReadHandshake(r.Log, r.Snap, recorder.HandshakeRows)
}

// note is what was said of a row, empty where nothing was.
func (r *Recording) note(row session.Row) string {
	for _, n := range r.Notes {
		if row.N > 0 && n.N == uint64(row.N) && n.In == r.Snap.Member(int(row.Conn)) {
			return noteText(n.Note)
		}
	}
	return ""
}

func noteText(n recorder.Note) string {
	if n.Text == "" {
		return "marked"
	}
	return text.Visible([]byte(n.Text), 4000)
}

// rows calls f for every row that the filter selects.
func (r *Recording) rows(ctx context.Context, f func(i uint32, row session.Row) error) error {
	const often = 1024
	for i := range uint32(r.Snap.Len()) {
		if i%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if r.Moved != nil {
				r.Moved(int(i), r.Snap.Len())
			}
		}
		selected, err := r.selects(i)
		if err != nil {
			return err
		}
		if !selected {
			continue
		}
		if err := f(i, r.Snap.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recording) selects(i uint32) (bool, error) {
	if r.Filter == nil {
		return true, nil
	}
	switch r.Filter.Meta(r.Snap, i) {
	case filter.No:
		return false, nil
	case filter.Yes:
		return true, nil
	case filter.Body:
	}
	body, err := r.body(i, recorder.MaxValue)
	return err == nil && r.Filter.Match(r.Snap, i, body), err
}

// mostBody is how much of a body is exported where it is a part of something else,
// in bytes.
const mostBody = 64 << 10

// body reads the beginning of a row's value, most bytes of it. Rows that are not
// frames have none.
func (r *Recording) body(i uint32, most int64) ([]byte, error) {
	if !isFrame(r.Snap.Row(i).Kind) {
		return nil, nil
	}
	if r.bodies == nil || r.bodiesOf != r.Log {
		r.bodies, r.bodiesOf = recorder.NewBodies(r.Log), r.Log
	}
	body, err := r.bodies.ReadValue(r.Snap, i, most)
	if err != nil && !errors.Is(err, recorder.ErrNoFrame) {
		return nil, fmt.Errorf("exporting: %w", err)
	}
	return bytes.Clone(body), nil
}

func isFrame(k session.RowKind) bool {
	return !k.Event()
}

// An exchange is a request with its response.
type exchange struct {
	req     uint32
	row     session.Row
	resp    uint32 // resp is session.NoRow where there is no answer.
	answer  session.Row
	latency int64 // latency is in nanoseconds, -1 where there is none.
}

// exchangeOf is the exchange that a request's row begins.
func (r *Recording) exchangeOf(i uint32) exchange {
	x := exchange{req: i, row: r.Snap.Row(i), resp: session.NoRow, latency: -1}
	if ns, ok := r.Snap.Latency(i); ok {
		x.resp, x.latency = x.row.Pair, ns
		x.answer = r.Snap.Row(x.resp)
	}
	return x
}

// state is how an exchange ended.
func (x *exchange) state() string {
	switch {
	case x.resp != session.NoRow && x.answer.Failed():
		return "error"
	case x.resp != session.NoRow:
		return "ok"
	case x.row.Flags&session.FlagCancelled != 0:
		return "cancelled"
	case x.row.Flags&session.FlagLost != 0:
		return "lost"
	}
	return "pending"
}

// exchanges calls f for every exchange of which the filter selects the request or
// the response, and for notifications, where they are wanted.
func (r *Recording) exchanges(ctx context.Context, notifications bool, f func(x exchange) error) error {
	all := *r
	all.Filter = nil
	return all.rows(ctx, func(i uint32, row session.Row) error {
		if (row.Kind != session.RowRequest || row.Substitutes()) && (!notifications || row.Kind != session.RowNotification) {
			return nil
		}
		x := r.exchangeOf(i)
		selected, err := r.selects(i)
		if !selected && err == nil && x.resp != session.NoRow {
			selected, err = r.selects(x.resp)
		}
		if err != nil || !selected {
			return err
		}
		return f(x)
	})
}

// text is a body as valid UTF-8.
func textOf(body []byte) string {
	if utf8.Valid(body) {
		return string(body)
	}
	return string(bytes.ToValidUTF8(body, []byte("\uFFFD")))
}
