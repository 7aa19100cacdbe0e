package export

import (
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/ui/format"
)

// arrow points to who gets a frame.
func arrow(row session.Row) string {
	if row.Stream == session.C2S {
		return "→"
	}
	return "←"
}

// name is a row's method with what it acts on.
func (r *Recording) name(row session.Row) string {
	words := []string{r.Snap.Name(row.Method)}
	if target := r.Snap.Name(row.Target); target != "" {
		words = append(words, target)
	}
	return format.Visible([]byte(strings.Join(words, " ")), 200)
}

// id is a row's id in parentheses, empty where it has none.
func (r *Recording) id(row session.Row) string {
	if id := r.Snap.ID(row); id != "" {
		return " (" + format.Visible([]byte(id), 80) + ")"
	}
	return ""
}

// event is the line of a row that is not a frame.
func (r *Recording) event(row session.Row) string {
	what := strings.TrimSpace(r.Snap.Name(row.Method) + " " + r.Snap.Name(row.Target))
	switch row.Kind {
	case session.RowProc:
		return "server " + format.Visible([]byte(what), 200)
	case session.RowIO:
		return row.Stream.String() + " " + format.Visible([]byte(what), 80)
	}
	return fmt.Sprintf("%s of %s missing", format.Size(int64(row.Len)), row.Stream)
}
