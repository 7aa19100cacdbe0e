package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"sort"
	"strings"

	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/secrets"
)

// A form is a way to write a secret.
type form struct {
	text   string
	secret int
	word   bool // word: it counts only where no letter or digit is beside it, and not as a member's name.
	digits bool // digits: it counts only where no digit is beside it, and not as a number of JSON.
}

// A matcher finds known secrets wherever they are.
type matcher struct {
	forms  map[uint32][]form // forms are by their first four bytes, in the order of their texts.
	filter [1 << 16]bool     // filter says for a hash of four bytes whether there may be such forms.
}

// leastForm is the length from which a secret is looked for everywhere: shorter ones
// would be found in words.
const leastForm = 6

func newMatcher(t *table) *matcher {
	m := &matcher{forms: map[uint32][]form{}}
	for i := range t.list {
		s := &t.list[i]
		if s.kind == kindUser || !spreads(s.value) {
			continue
		}
		f := form{text: s.value, secret: i, word: plainWord(s.value), digits: allDigits(s.value)}
		m.add(f)
		if f.text = url.QueryEscape(s.value); strings.Contains(f.text, "+") { // What is written with % is found without.
			m.add(f)
		}
	}
	for _, list := range m.forms {
		slices.SortStableFunc(list, func(a, b form) int { return strings.Compare(a.text, b.text) })
	}
	return m
}

// add takes a form.
func (m *matcher) add(f form) {
	k := key(f.text)
	m.forms[k] = append(m.forms[k], f)
	m.filter[short(k)] = true
}

func key[T string | []byte](p T) uint32 {
	return uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
}

func short(k uint32) uint16 { return uint16(k*2654435761>>16) ^ uint16(k) }

// marks returns where known secrets are in a text, however they are escaped there, and
// in base64.
func (m *matcher) marks(text []byte) (all []mark) {
	if len(m.forms) == 0 {
		return nil
	}
	levels := 0
	for l := range secrets.Levels(text) {
		levels++
		for _, found := range m.plainly(l.Text) {
			found.from, found.to = l.Raw(found.from, found.to)
			all = append(all, found)
		}
		for from, to := range secrets.Runs(l.Text) {
			if inner := m.plainly(secrets.Decoded(l.Text[from:to])); len(inner) > 0 {
				found := mark{secret: inner[0].secret}
				found.from, found.to = l.Raw(from, to)
				all = append(all, found)
			}
		}
	}
	if levels > 1 {
		slices.SortStableFunc(all, func(a, b mark) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	}
	if first := bytes.TrimLeft(text, " \t\r\n"); len(all) > 0 && len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(text) {
		all = withinJSON(text, all)
	}
	return all
}

// withinJSON leaves out what would make a JSON text another one: what reaches over the
// end of a string, a part of a number, a number, and a word that is a member's name.
func withinJSON(text []byte, all []mark) []mark {
	out, next := all[:0], 0
	for t := range secrets.Tokens(text) {
		for ; next < len(all) && all[next].from < t.To; next++ {
			f := all[next]
			whole := f.from == t.From && f.to == t.To
			if f.from >= t.From && f.to <= t.To && (t.Text && !(t.Key && whole && f.word) || !t.Text && whole && !f.digits) {
				out = append(out, f)
			}
		}
	}
	return out
}

// plainly returns where known secrets are in a text as they are, in order, the longest
// first where several begin.
func (m *matcher) plainly(text []byte) (all []mark) {
	for i := 0; i+leastForm <= len(text); i++ {
		k := key(text[i:])
		if !m.filter[short(k)] {
			continue
		}
		if f := longest(m.forms[k], text, i); f != nil {
			n := len(f.text)
			all = append(all, mark{from: i, to: i + n, secret: f.secret, word: f.word, digits: f.digits})
			i += n - 1
		}
	}
	return all
}

// longest returns the longest of forms that begins at text[at], nil where
// none does. There may be thousands that begin alike.
func longest(forms []form, text []byte, at int) *form {
	for rest := text[at:]; len(rest) >= leastForm; {
		// What rest begins with is not behind it in the order, and the longest is the
		// last of them.
		n := sort.Search(len(forms), func(i int) bool { return forms[i].text > string(rest) })
		if n == 0 {
			return nil
		}
		last := forms[n-1].text
		if !bytes.HasPrefix(rest, []byte(last)) {
			rest = rest[:common(rest, last)]
			continue
		}
		for n--; n > 0 && forms[n-1].text == last; n-- {
		}
		for ; n < len(forms) && forms[n].text == last; n++ {
			if forms[n].stands(text, at) {
				return &forms[n]
			}
		}
		rest = rest[:len(last)-1]
	}
	return nil
}

// common is how many bytes two texts begin with that are the same.
func common(a []byte, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// stands reports whether a form that was found is the secret, and no part of
// something else.
func (f *form) stands(text []byte, at int) bool {
	end := at + len(f.text)
	if f.digits && (at > 0 && digit(text[at-1]) || end < len(text) && digit(text[end])) {
		return false
	}
	return !f.word || (at == 0 || !alnum(text[at-1])) && (end == len(text) || !alnum(text[end]))
}

// spreads reports whether a secret is to be replaced wherever it occurs. What the
// protocol is made of is not, and what is so short that it would be found in words.
func spreads(value string) bool {
	if len(value) < leastForm || ordinary.Get()[strings.ToLower(value)] || date.Get().MatchString(value) {
		return false
	}
	_, method := mcp.Lookup(value)
	return !method
}

var date = lazy.Regexp{Text: `^\d{4}-\d\d-\d\d$`}

// ordinary are words that occur where secrets do and are what any session is made
// of.
var ordinary = lazy.Value[map[string]bool]{New: func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("string number integer boolean object array default password secret token apikey api_key api-key bearer authorization required optional " +
		"example changeme jsonrpc method params result arguments content resource resources prompts assistant system unknown missing undefined disabled enabled " +
		"message messages complete description inputschema properties application/json text/plain localhost 127.0.0.1 server client version initialize tools/list redacted include same-origin oauth oauth2 openid session cookie private public anonymous") {
		m[w] = true
	}
	return m
}}

// plainWord reports whether a value might be a word: it is then looked for as one.
func plainWord(value string) bool {
	return len(value) < 16 && strings.IndexFunc(value, func(r rune) bool { return r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) < 0
}

func allDigits(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func alnum(c byte) bool { return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// unlearned is the secret of a mark whose text was found by itself and is looked up
// when it is replaced.
const unlearned = -1

// A mark is what is replaced in a text: text[from:to].
type mark struct {
	from, to int
	secret   int    // secret is its place in the table, or unlearned.
	kind     string // kind is that of an unlearned one.
	word     bool   // word and digits are those of a form that was found.
	digits   bool
	empty    bool // empty: nothing stands for it, because the placeholder precedes it.
}

// settle orders marks and joins those that overlap. One that covers all of the
// others stays what it is.
func settle(marks []mark) []mark {
	if len(marks) < 2 {
		return marks
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	out := marks[:1]
	for _, m := range marks[1:] {
		last := &out[len(out)-1]
		switch {
		case m.from >= last.to:
			out = append(out, m)
		case m.to <= last.to:
			if m.from == last.from && m.to == last.to && last.secret == unlearned {
				last.secret, last.empty = m.secret, m.empty
			}
		case m.from == last.from:
			*last = m
		default:
			last.to, last.secret, last.empty = m.to, unlearned, false
			last.kind = cmp.Or(last.kind, m.kind, "secret")
		}
	}
	return out
}

// replace returns the text with its marks replaced, which are settled; the text
// itself where there are none. fixed keeps its length.
func (r *Redactor) replace(text []byte, marks []mark, fixed bool) []byte {
	if len(marks) == 0 {
		return text
	}
	out := make([]byte, 0, len(text)+16*len(marks))
	at := 0
	for _, m := range marks {
		out = append(out, text[at:m.from]...)
		at = m.to
		i := m.secret
		if i == unlearned {
			i = r.known.learn(secrets.Plain(text[m.from:m.to]), cmp.Or(m.kind, "secret"))
		}
		width := 0
		if fixed {
			width = m.to - m.from
		}
		if !m.empty || fixed {
			r.known.list[i].places++
			out = append(out, r.known.placeholder(i, isNumber(text, m.from, m.to), width)...)
		}
	}
	return append(out, text[at:]...)
}
