package http

import (
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// fieldOf returns the values of a field, joined as RFC 9110 §5.3 says; empty if there is
// none. A credential's value is its scheme.
func fieldOf(e *session.HTTPEvent, name string) string {
	value, n := "", 0
	for i := range e.Fields {
		if strings.EqualFold(e.Fields[i].Name, name) {
			if n++; n > 1 {
				value += ", "
			}
			value += e.Fields[i].Value
		}
	}
	return value
}

// has reports whether there is a field of that name.
func has(e *session.HTTPEvent, name string) bool { return count(e, name) > 0 }

// count counts the fields of a name.
func count(e *session.HTTPEvent, name string) int {
	n := 0
	for i := range e.Fields {
		if strings.EqualFold(e.Fields[i].Name, name) {
			n++
		}
	}
	return n
}

// secretOf returns what is kept of a credential, nil if there is none.
func secretOf(e *session.HTTPEvent, name string) *session.Secret {
	for i := range e.Fields {
		if strings.EqualFold(e.Fields[i].Name, name) {
			return e.Fields[i].Secret
		}
	}
	return nil
}

// accepts reports whether an Accept lists a media type itself, not by a wildcard.
func accepts(accept, media string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		refused := strings.HasPrefix(strings.ReplaceAll(params, " ", "")+";", "q=0;")
		if strings.EqualFold(strings.TrimSpace(name), media) && !refused {
			return true
		}
	}
	return false
}

// lists reports whether a comma-separated list has a token, or *.
func lists(list, token string, wildcard bool) bool {
	return listed(list, func(item string) bool { return strings.EqualFold(item, token) || wildcard && item == "*" })
}

// nick names a session by the hash of its id.
func nick(s *session.Secret) string {
	return "session " + rule.Short([]byte(s.Hash[:min(len(s.Hash), 4)])) + "…"
}

// pathOf returns the path of a target.
func pathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}
