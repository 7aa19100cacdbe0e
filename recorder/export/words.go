package export

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"wiretea/session"
)

// duration writes a time span with three digits or so: "23 ms", "1.31 s".
func duration(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(ns)/1e6)
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// size writes a number of bytes in decimal units.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// plural writes a count with its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// visible is what a peer sent on one line, its control characters shown as what
// they are, cut at most characters (0 = not).
func visible(body []byte, most int) string {
	var b strings.Builder
	for n := 0; len(body) > 0; n++ {
		if most > 0 && n == most {
			b.WriteRune('…')
			break
		}
		r, width := utf8.DecodeRune(body)
		switch {
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, body[0])
		case r == '\n':
			b.WriteRune('␊')
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x20:
			b.WriteRune('␀' + r)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		body = body[width:]
	}
	return b.String()
}

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
	return visible([]byte(strings.Join(words, " ")), 200)
}

// id is a row's id in parentheses, empty where it has none.
func (r *Recording) id(row session.Row) string {
	if id := r.Snap.ID(row); id != "" {
		return " (" + visible([]byte(id), 80) + ")"
	}
	return ""
}

// event is the line of a row that is no frame.
func (r *Recording) event(row session.Row) string {
	what := strings.TrimSpace(r.Snap.Name(row.Method) + " " + r.Snap.Name(row.Target))
	switch row.Kind {
	case session.RowProc:
		return "server " + visible([]byte(what), 200)
	case session.RowIO:
		return row.Stream.String() + " " + visible([]byte(what), 80)
	}
	return fmt.Sprintf("%s of %s missing", size(int64(row.Len)), row.Stream)
}

// shellWords is a command line that a shell takes for these words.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		w = visible([]byte(w), 0)
		if w == "" || strings.IndexFunc(w, func(r rune) bool {
			return !strings.ContainsRune("-_./:=@%+,", r) && !unicode.IsDigit(r) && (r > unicode.MaxASCII || !unicode.IsLetter(r))
		}) >= 0 {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
