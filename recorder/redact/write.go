package redact

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/secrets"
)

// Write writes the session without its secrets.
func (r *Redactor) Write(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 256<<10)
	count, longer := 0, int64(0)
	err := r.walk(ctx, 1, func(rec *session.Record, line []byte) error {
		switch rec.Kind {
		case session.RecFrame, session.RecRaw:
			more := 0
			line, more = r.frame(rec, line, count)
			longer += int64(more)
			count++
		case session.RecHeader:
			line = r.header(line)
		case session.RecEnd:
			line = r.last(line, rec.End.Bytes+longer)
		default:
			line = r.text(line, rec.Kind)
		}
		if line == nil {
			return fmt.Errorf("record %d cannot be taken apart", rec.N)
		}
		_, _ = out.Write(line) // A bufio.Writer keeps its error.
		return out.WriteByte('\n')
	})
	if err != nil {
		return fmt.Errorf("writing the redacted session: %w", err)
	}
	if r.Torn > 0 {
		_, _ = out.Write(recorder.TornRecord(r.Torn))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the redacted session: %w", err)
	}
	return nil
}

// A Kind is how many secrets of one kind were replaced.
type Kind struct {
	Name    string // Name is what gave them away: "GitHub token", "member password".
	Secrets int    // Secrets counts the distinct ones.
	Places  int    // Places counts where they were.
}

// Summary says what Write replaced, the most frequent first.
func (r *Redactor) Summary() []Kind {
	index := map[string]int{}
	var all []Kind
	for _, s := range slices.Clone(r.known.list) {
		if s.places == 0 {
			continue
		}
		i, known := index[s.kind]
		if !known {
			i = len(all)
			index[s.kind] = i
			all = append(all, Kind{Name: r.Text(s.kind)})
		}
		all[i].Secrets++
		all[i].Places += s.places
	}
	slices.SortStableFunc(all, func(a, b Kind) int { return cmp.Or(b.Places-a.Places, cmp.Compare(a.Name, b.Name)) })
	return all
}

// Clean reports whether the log holds no secret at all.
func (r *Redactor) Clean() bool { return len(r.known.list) == 0 && r.Damage.Lines == 0 && r.Torn == 0 }

// A Place is where something secret is. It does not say what.
type Place struct {
	N      uint64         // N is the record's number; 0 for the header.
	Record string         // Record is what it is: "frame", "raw", "header", "proc" …
	Stream session.Stream // Stream is that of a frame and of raw bytes.
	Path   string         // Path is where it is in JSON, as jq writes it, else "byte 12" of the body.
	Kind   string         // Kind is what gave it away.
}

// Scan calls f for each place where Write would replace something, in the order of
// the log.
func (r *Redactor) Scan(ctx context.Context, f func(Place)) error {
	count := 0
	err := r.walk(ctx, 1, func(rec *session.Record, line []byte) error {
		at := Place{N: rec.N, Record: recordWords[rec.Kind], Stream: rec.Stream}
		text, marks := line, []mark(nil)
		if rec.Kind == session.RecFrame || rec.Kind == session.RecRaw {
			text, marks = rec.Body, r.marksIn(rec, line, count)
			count++
		} else {
			marks = settle(append(r.find.marks(line), r.found(line, rec.Kind)...))
		}
		marks = slices.DeleteFunc(marks, func(m mark) bool { return m.empty })
		for k, path := range pathsOf(text, marks) {
			m := marks[k]
			i := m.secret
			if i == unlearned {
				i = r.known.learn(secrets.Plain(text[m.from:m.to]), m.kind)
			}
			at.Kind = r.Text(r.known.list[i].kind)
			path = cmp.Or(path, "byte "+strconv.Itoa(m.from))
			at.Path = r.Text(path)
			f(at)
		}
		return nil
	})
	return err
}

// pathsOf are the paths of marks, which are in order.
func pathsOf(text []byte, marks []mark) []string {
	if len(marks) == 0 {
		return nil
	}
	offsets := make([]int, len(marks))
	for i, m := range marks {
		offsets[i] = m.from
	}
	return diff.PathsAt(text, offsets...)
}

// Text is a text about the session, such as a comment, a name or a path, without its
// secrets and without those of the session.
func (r *Redactor) Text(text string) string { return string(r.text([]byte(text), session.RecUnknown)) }

var recordWords = [...]string{
	session.RecUnknown: "record", session.RecHeader: "header", session.RecFrame: "frame", session.RecRaw: "raw", session.RecIO: "io", session.RecProc: "proc",
	session.RecClock: "clk", session.RecGap: "gap", session.RecEnd: "end", session.RecHTTP: "http", session.RecPath: "path",
}
