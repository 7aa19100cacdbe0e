package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"wiretea/recorder/redact/secrets"
)

// ErrSecret is returned for an entry that holds a secret which cannot be taken
// out.
var ErrSecret = errors.New("it holds a secret and is not kept")

// clean returns the entry without the values that look secret.
func clean(e Entry) (Entry, error) {
	var finder secrets.Finder
	if len(e.Params) > 0 {
		e.Params, e.Removed = withoutSecrets(e.Params, finder.Find(e.Params))
		e.Params = compacted(e.Params)
	}
	for _, text := range []string{string(e.Params), e.Text, e.Method, e.Name, e.URI, e.Template} {
		if len(finder.Find([]byte(text))) > 0 {
			return Entry{}, ErrSecret
		}
	}
	return e, nil
}

// compacted takes white space out, which also brings it into one line.
func compacted(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// withoutSecrets replaces the values in which there is a secret by empty strings,
// and returns their paths. What is not within a value stays.
func withoutSecrets(text []byte, found []secrets.Span) (out []byte, removed []string) {
	if len(found) == 0 {
		return text, nil
	}
	w := walk{dec: json.NewDecoder(bytes.NewReader(text)), text: text}
	w.dec.UseNumber()
	w.value()
	at := 0
	for _, v := range w.values {
		hit := false
		for _, s := range found {
			hit = hit || s.From < v.to && s.To > v.from
		}
		if !hit {
			continue
		}
		out = append(append(out, text[at:v.from]...), `""`...)
		at = v.to
		removed = append(removed, v.path)
	}
	return append(out, text[at:]...), removed
}

// A scalar is a string or a number in a text.
type scalar struct {
	from, to int
	path     string
}

// A walk goes through a JSON text.
type walk struct {
	dec    *json.Decoder
	text   []byte
	path   []string
	values []scalar
}

// value reads a value, and reports false at the end of what can be read. It goes
// as deep as the text, which MaxEntry bounds.
func (w *walk) value() bool {
	tok, err := w.dec.Token()
	if err != nil {
		return false
	}
	switch tok := tok.(type) {
	case json.Delim:
		return w.within(tok == '{')
	case string, json.Number:
		to := int(w.dec.InputOffset())
		w.values = append(w.values, scalar{w.begin(to, tok), to, strings.Join(w.path, ".")})
	}
	return true
}

// begin is where a scalar that ends at to begins: behind what stands before it.
func (w *walk) begin(to int, tok json.Token) int {
	if number, ok := tok.(json.Number); ok {
		return to - len(number)
	}
	from := to - 1 // at the closing quote
	for from > 0 {
		from--
		if w.text[from] != '"' {
			continue
		}
		n := 0
		for from-n > 0 && w.text[from-n-1] == '\\' {
			n++
		}
		if n%2 == 0 {
			break
		}
	}
	return from
}

func (w *walk) within(object bool) bool {
	for i := 0; w.dec.More(); i++ {
		name := strconv.Itoa(i)
		if object {
			key, err := w.dec.Token()
			if err != nil {
				return false
			}
			name, _ = key.(string)
		}
		w.path = append(w.path, name)
		if !w.value() {
			return false
		}
		w.path = w.path[:len(w.path)-1]
	}
	_, err := w.dec.Token()
	return err == nil
}
