package redact

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"wiretea/session"
)

// Write writes the session without its secrets.
func (r *Redactor) Write(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 256<<10)
	count, longer := 0, int64(0)
	_, err := r.walk(ctx, r.end, 1, func(rec *session.Record, line []byte) error {
		switch rec.Kind {
		case session.RecFrame, session.RecRaw:
			more := 0
			line, more = r.frame(rec, line, r.isDirty(count))
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
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the redacted session: %w", err)
	}
	return nil
}

// A Kind is how many secrets of one kind were replaced.
type Kind struct {
	Name    string // Name is what gave them away: "GitHub token", "member password".
	Secrets int    // Secrets counts the distinct ones.
	Places  int    // Places counts where they stood.
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
			all = append(all, Kind{Name: r.clean(s.kind)})
		}
		all[i].Secrets++
		all[i].Places += s.places
	}
	slices.SortStableFunc(all, func(a, b Kind) int { return cmp.Or(b.Places-a.Places, cmp.Compare(a.Name, b.Name)) })
	return all
}

// Clean reports whether the log holds no secret at all.
func (r *Redactor) Clean() bool { return len(r.known.list) == 0 && r.Damage.Lines == 0 && r.Torn == 0 }
