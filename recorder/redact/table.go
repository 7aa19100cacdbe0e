package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"wiretea/session/secrets"
)

// maxSecrets is how many distinct secrets have placeholders of their own; those
// beyond share one for each kind.
const maxSecrets = 1 << 20

// A secret is one of a log's secrets.
type secret struct {
	value  string // value is what it says, without escapes.
	kind   string
	places int // places counts where it was replaced.
}

// A table is what is known to be secret.
type table struct {
	list  []secret
	index map[string]int
	above int // above is the highest number of a placeholder that is in the log already.
}

// learn takes a secret, without escapes, with what it is made of, and returns its place
// in the list.
func (t *table) learn(value, kind string) int {
	i := t.add(value, kind)
	if kind != kindUser {
		for _, part := range parts(value) {
			t.add(part, kind)
		}
	}
	return i
}

func (t *table) add(value, kind string) int {
	key := value
	if kind == kindUser {
		key = "~" + value // It is not a secret elsewhere.
	}
	if i, known := t.index[key]; known {
		return i
	}
	if len(t.list) >= maxSecrets {
		key, value = "…"+kind, ""
		if i, known := t.index[key]; known {
			return i
		}
	}
	t.index[key] = len(t.list)
	t.list = append(t.list, secret{value: value, kind: kind})
	return len(t.list) - 1
}

// seen takes note of the placeholders that are in a line already.
func (t *table) seen(line []byte) {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte("redacted-"))
		if i < 0 {
			return
		}
		from := at + i
		at = from + 1
		for at < len(line) && (alnum(line[at]) || line[at] == '-') {
			at++
		}
		t.above = max(t.above, min(secrets.Ordinal(line[from:at]), 1<<40))
	}
}

// placeholder is what stands for a secret; width bytes long where width is above 0.
func (t *table) placeholder(i int, number bool, width int) string {
	n := t.above + i + 1
	text := secrets.Placeholder(t.list[i].kind, n)
	if number {
		text = secrets.NumberPlaceholder(n)
	}
	switch {
	case width <= 0:
		return text
	case number && width > len(text):
		return strings.Repeat("9", width)
	case width > len(text):
		return text + strings.Repeat("-", width-len(text))
	}
	return text[:width]
}

// parts are what a secret is made of that is elsewhere by itself: the password
// of Basic, the values of a cookie, what follows the name in an assignment.
func parts(value string) (all []string) {
	for _, scheme := range secrets.Schemes {
		if rest, found := strings.CutPrefix(value, scheme); found {
			all = append(all, rest)
			value = rest
		}
	}
	if plain, err := base64.StdEncoding.DecodeString(value); err == nil && len(value) > 7 {
		if _, password, found := strings.Cut(string(plain), ":"); found && json.Valid([]byte(`"`+password+`"`)) {
			all = append(all, password)
		}
	}
	if !strings.Contains(value, "=") {
		return all
	}
	for _, pair := range strings.FieldsFunc(value, func(r rune) bool { return r == ';' || r == '&' }) {
		name, v, found := strings.Cut(strings.TrimSpace(pair), "=")
		switch strings.ToLower(name) {
		case "path", "domain", "expires", "max-age", "samesite", "server", "host", "database", "port", "endpointsuffix":
			continue
		}
		if found && len(v) >= 8 {
			all = append(all, v)
		}
	}
	return all
}
