package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"wiretea/recorder"
	"wiretea/recorder/redact"
	"wiretea/recorder/redact/redacttest"
	"wiretea/session"
)

// A spelling is how an encoder writes strings of JSON: which characters get an escape
// that they need not have, and how that is written.
type spelling struct {
	name  string
	which func(r rune, i int) bool
	form  string // form is that of the escape, such as \u%04x.
}

var spellings = []spelling{
	{"least", func(rune, int) bool { return false }, ""},
	{"PHP", func(r rune, _ int) bool { return r == '/' }, `\%c`},
	{"Gson", func(r rune, _ int) bool { return strings.ContainsRune(`'<>&=`, r) }, `\u%04x`},
	{".NET", func(r rune, _ int) bool { return strings.ContainsRune("\"'\\<>&+`", r) }, `\u%04X`},
	{"each", func(rune, int) bool { return true }, `\u%04x`},
	{"every third", func(_ rune, i int) bool { return i%3 == 0 }, `\u%04X`},
	{"every seventh", func(_ rune, i int) bool { return i%7 == 3 }, `\u%04x`},
}

// write writes a text as a string.
func (s *spelling) write(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range []rune(text) {
		switch {
		case s.which(r, i) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, s.form+s.form, high, low)
		case s.which(r, i):
			fmt.Fprintf(&b, s.form, r)
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// nested is a message in which a text is in so many strings, the innermost written in
// one way and the others in another.
func nested(text string, depth int, inner, outer *spelling) string {
	value := inner.write("\U0001f511 " + text + " \U0001f511")
	for range depth - 1 {
		value = outer.write(`{"t":` + value + `,"n":1}`)
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use","arguments":{"t":` + value + `,"n":1}}}`
}

// innermost is the text that nested has put so deep into a message.
func innermost(t *testing.T, message []byte, depth int) string {
	t.Helper()
	type object struct {
		T *string `json:"t"`
		N int     `json:"n"`
	}
	var m struct{ Params struct{ Arguments object } }
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	at := m.Params.Arguments
	for range depth - 1 {
		var in object
		if err := json.Unmarshal([]byte(*at.T), &in); err != nil || in.T == nil || in.N != 1 {
			t.Fatalf("%v: %s", err, *at.T)
		}
		at = in
	}
	return *at.T
}

// A recording is a session that is put together message by message.
type recording struct {
	file []byte
	n    int
}

// add adds a message in one record, or in raw records that are cut at some places.
func (r *recording) add(message string, cuts []int) {
	if r.n++; r.n == 1 {
		r.file = []byte(header)
	}
	if len(cuts) == 0 {
		r.file = fmt.Appendf(r.file, `{"k":"f","n":%d,"t":1,"d":"c2s","len":%d,"b":%s}`+"\n", r.n, len(message), message)
		return
	}
	from := 0
	for _, to := range append(cuts, len(message)) {
		part := message[from:to]
		if to == len(message) {
			part += "\n"
		}
		r.file = fmt.Appendf(r.file, `{"k":"raw","n":%d,"t":1,"d":"c2s","len":%d,"s":%s}`+"\n", r.n, len(part), least.write(part))
		from = to
		r.n++
	}
}

var least = spellings[0]

// cuts are ways to cut a message in which a text ends somewhere: not at all, in the
// middle, before the end where an escape may be, and everywhere.
func cuts(message string) map[string][]int {
	var middle, many []int
	for i := range message {
		if i > 0 && i%13 == 0 {
			many = append(many, i)
		}
	}
	if end := strings.Index(message, `,"n":1}}}`); end > 0 {
		middle = []int{atRune(message, end/2+45), atRune(message, end*2/3+30)}
		if middle[0] >= middle[1] || middle[1] >= len(message) {
			middle = middle[:1]
		}
	}
	for i := range many {
		many[i] = atRune(message, many[i])
	}
	return map[string][]int{"": nil, "middle": middle, "many": many}
}

// atRune is the place of the rune that a byte belongs to.
func atRune(text string, i int) int {
	for i > 0 && text[i]&0xc0 == 0x80 {
		i--
	}
	return i
}

// messagesOf are the lines of a session's client.
func messagesOf(t *testing.T, file []byte) [][]byte {
	t.Helper()
	var all []byte
	r := recorder.NewReader(logOf(t, file), 0)
	var rec session.Record
	for r.Next(&rec) == nil {
		if rec.Kind == session.RecFrame || rec.Kind == session.RecRaw {
			all = append(append(all, rec.Body...), rec.Term...)
		}
	}
	return bytes.Split(bytes.TrimSuffix(all, []byte{'\n'}), []byte{'\n'})
}

// apart divides samples into groups in which no secret is in two texts: each has to
// be found where it is.
func apart(samples []redacttest.Sample) (groups [][]redacttest.Sample) {
	holds := func(a, b *redacttest.Sample) bool {
		for _, m := range a.Marks {
			for _, part := range strings.FieldsFunc(a.Text[m.From:m.To], func(r rune) bool { return strings.ContainsRune(";=, \"", r) }) {
				if strings.Contains(b.Text, part) {
					return true
				}
			}
		}
		return false
	}
next:
	for i := range samples {
		s := &samples[i]
	group:
		for g := range groups {
			for k := range groups[g] {
				if o := &groups[g][k]; holds(s, o) || holds(o, s) {
					continue group
				}
			}
			groups[g] = append(groups[g], *s)
			continue next
		}
		groups = append(groups, []redacttest.Sample{*s})
	}
	return groups
}

// TestEscapes holds that each secret of the corpus is found alone, however it is escaped,
// in up to three strings, and cut over records, and that the messages stay messages.
func TestEscapes(t *testing.T) {
	samples := redacttest.Corpus("secrets")
	if len(samples) < 150 {
		t.Errorf("only %d secrets", len(samples))
	}
	groups := apart(samples)
	for _, s := range spellings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for depth := 1; depth <= 3; depth++ {
				outer := &least
				if depth%2 == 0 && s.form != `\u%04x` { // All in each would be 216 times as long.
					outer = &s
				}
				for i, group := range groups {
					if i%every == 0 {
						checkGroup(t, group, depth, &s, outer)
					}
				}
			}
		})
	}
}

// checkGroup redacts messages with the samples of a group, cut in each way.
func checkGroup(t *testing.T, group []redacttest.Sample, depth int, inner, outer *spelling) {
	t.Helper()
	files := map[string]*recording{}
	for _, sample := range group {
		message := nested(sample.Text, depth, inner, outer)
		for where, at := range cuts(message) {
			if files[where] == nil {
				files[where] = &recording{}
			}
			files[where].add(message, at)
		}
	}
	for where, r := range files {
		got, _ := redacted(t, r.file, redact.Options{})
		lines := messagesOf(t, got)
		if len(lines) != len(group) {
			t.Fatalf("%d messages, were %d", len(lines), len(group))
		}
		for i := range group {
			text := innermost(t, lines[i], depth)
			if left := leftOf(&group[i], text); left != "" {
				t.Fatalf("%d deep, cut %s: %q is left of %s\nin %s", depth, where, left, group[i].Text, text)
			}
		}
	}
}

// leftOf is a secret of a sample that is in what became of it.
func leftOf(s *redacttest.Sample, text string) string {
	for _, m := range s.Marks {
		secret := s.Text[m.From:m.To]
		if len(secret) < 4 {
			// So short a secret may be in a placeholder: what surrounds it tells.
			secret = s.Text[max(0, m.From-3):min(len(s.Text), m.To+3)]
		}
		if strings.Contains(text, secret) {
			return secret
		}
	}
	return ""
}
