package store

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"wiretea/recorder/redact/secrets"
	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
)

// ErrSecret is returned for an entry that holds a secret which cannot be taken
// out.
var ErrSecret = errors.New("it holds a secret and is not kept")

// clean returns the entry without the values that look secret.
func clean(e Entry) (Entry, error) {
	var finder secrets.Finder
	if len(e.Params) > 0 {
		e.Params, e.Removed = withoutSecrets(e.Params, finder.Find(e.Params))
		e.Params = lex.AppendCompact(nil, e.Params)
	}
	for _, text := range []string{string(e.Params), e.Text, e.Method, e.Name, e.URI, e.Template} {
		if len(finder.Find([]byte(text))) > 0 {
			return Entry{}, ErrSecret
		}
	}
	return e, nil
}

// withoutSecrets replaces the values in which there is a secret by empty strings,
// and returns their paths. What is not within a value stays.
func withoutSecrets(text []byte, found []secrets.Span) (out []byte, removed []string) {
	if len(found) == 0 || !json.Valid(text) {
		return text, nil
	}
	at := 0
	scalars(tree.Read(text), "", func(n *tree.Node, path string) {
		from, to := n.Off, n.Off+len(n.Raw)
		if slices.ContainsFunc(found, func(s secrets.Span) bool { return s.From < to && s.To > from }) {
			out = append(append(out, text[at:from]...), `""`...)
			at = to
			removed = append(removed, strings.TrimPrefix(path, "."))
		}
	})
	return append(out, text[at:]...), removed
}

// scalars calls f for each string and number in a value, with its path.
func scalars(n *tree.Node, path string, f func(n *tree.Node, path string)) {
	if n.Is(tree.String) || n.Is(tree.Number) {
		f(n, path)
	}
	for _, m := range n.Members {
		scalars(m.Val, path+"."+m.Key, f)
	}
	for i, item := range n.Items {
		scalars(item, path+"."+strconv.Itoa(i), f)
	}
}
