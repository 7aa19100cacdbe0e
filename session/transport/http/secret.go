package http

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/secrets"
)

// fields are the header fields by name, the values of one name in their order. The values
// of credentials are replaced. hosts are the values of Host, which net/http keeps outside
// the header; nil means those of h.
func (l *Log) fields(h http.Header, hosts []string) []session.HTTPField {
	list := make([]session.HTTPField, 0, len(h)+len(hosts))
	for _, v := range hosts {
		list = append(list, l.field("Host", v))
	}
	for name, values := range h {
		if name == "Host" && hosts != nil {
			continue
		}
		for _, v := range values {
			list = append(list, l.field(name, v))
		}
	}
	slices.SortStableFunc(list, func(a, b session.HTTPField) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// shown are the header fields that are kept as they are: all values of a name, or none.
func (l *Log) shown(h http.Header) (list []session.HTTPField) {
	for _, field := range l.fields(h, nil) {
		if !slices.ContainsFunc(h[field.Name], func(v string) bool { return l.field(field.Name, v) != session.HTTPField{Name: field.Name, Value: v} }) {
			list = append(list, field)
		}
	}
	return list
}

// field is one header field, without what must not be kept of its value.
func (l *Log) field(name, value string) session.HTTPField {
	kind := kindOf(name, value)
	if slices.Contains(l.Secret, name) {
		kind = credential
	}
	switch kind {
	case credential:
		scheme, secret := schemeOf(name, value)
		f := session.HTTPField{Name: name, Value: scheme, Secret: l.secret(secret)}
		f.Secret.Odd = name == "Mcp-Session-Id" && strings.ContainsFunc(value, func(r rune) bool { return r < '!' || r > '~' })
		return f
	case address:
		before, query, ok := strings.Cut(value, "?")
		if ok {
			return session.HTTPField{Name: name, Value: l.clean("", before) + "?" + l.query(query)}
		}
	}
	return session.HTTPField{Name: name, Value: l.clean(name+": ", value)}
}

// kinds has the kinds of fields by their names.
var kinds memo[fieldKind]

// A fieldKind is what the value of a header field may hold.
type fieldKind uint8

const (
	plain      fieldKind = iota
	credential           // credential: the value is secret.
	named                // named: the name is like a secret's, and the value is secret unless it is a word.
	address              // address: the value is a URL, whose query may have secrets.
)

// kindOf is the kind of a header field; named is not returned.
func kindOf(name, value string) fieldKind {
	kind := kinds.get(name, func() fieldKind { return kindByName(name) })
	switch {
	case kind != named:
		return kind
	case isWord(value):
		return plain
	}
	return credential
}

// kindByName is the kind of a header field as far as its name tells.
func kindByName(name string) fieldKind {
	lower := strings.ToLower(name)
	switch lower {
	case "mcp-session-id", "dpop", "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key":
		return credential
	case "location", "content-location", "referer":
		return address
	}
	ends := func(ending string) bool { return strings.HasSuffix(lower, ending) }
	if !strings.HasPrefix(lower, "access-control-") && (secrets.Named(name) || slices.ContainsFunc(credentialEndings, ends)) {
		return named
	}
	return plain
}

// credentialEndings are ends of names of fields whose values are credentials, beside those that
// package secrets knows.
var credentialEndings = []string{"key", "-assertion", "-jwt", "-cert", "authentication", "sec-websocket-protocol"}

// clean is a text with the secrets replaced that are found in it by what they look like, and by
// what is before it.
func (l *Log) clean(before, text string) string {
	const short = 6 // No secret that has no name is as short.
	if len(text) <= short {
		return text
	}
	return l.cleaned.get(before+text, func() string { return string(l.replaced(new(secrets.Finder), before, text)) })
}

// replaced is a text with the secrets replaced that a finder finds behind what is before it.
func (l *Log) replaced(finder *secrets.Finder, before, text string) (out []byte) {
	at := 0
	for _, found := range finder.Find([]byte(before + text)) {
		if from := found.From - len(before); from >= at {
			out = append(append(out, text[at:from]...), l.placeholder(found.Value, found.To-found.From)...)
			at = found.To - len(before)
		}
	}
	return append(out, text[at:]...)
}

// maxMemo is how many results a memo keeps, for keys of at most maxMemoKey bytes.
const (
	maxMemo    = 512
	maxMemoKey = 8 << 10
)

// A memo keeps results of a function that is called with few different arguments. Its zero
// value is empty.
type memo[T any] struct {
	mu    sync.Mutex
	known map[string]T
}

// get returns the result for a key, which compute gives the first time.
func (m *memo[T]) get(key string, compute func() T) T {
	if len(key) > maxMemoKey {
		return compute()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.known[key]
	if !ok {
		v = compute()
		if m.known == nil || len(m.known) >= maxMemo {
			m.known = map[string]T{}
		}
		m.known[key] = v
	}
	return v
}

// isWord reports whether a value is a number or a truth value, which only a field that
// is known to be a credential would hide.
func isWord(value string) bool {
	_, err := strconv.ParseInt(value, 10, 64)
	return err == nil || value == "true" || value == "false" || value == ""
}

// schemeOf divides the value of Authorization into its scheme and the credential; other
// fields have no scheme.
func schemeOf(name, value string) (scheme, secret string) {
	if !strings.HasSuffix(strings.ToLower(name), "authorization") {
		return "", value
	}
	scheme, secret, ok := strings.Cut(value, " ")
	if !ok || len(scheme) > 20 || strings.ContainsFunc(scheme, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && (r < '0' || r > '9')
	}) {
		return "", value
	}
	return scheme, strings.TrimLeft(secret, " ")
}

// target is the path and the query of a URL, their secrets replaced. A path that is a secret
// stays, unless package secrets knows what is before it.
func (l *Log) target(u *url.URL) string {
	bare := *u
	bare.RawQuery, bare.ForceQuery = "", u.RawQuery == "" && u.ForceQuery
	path := l.clean("", bare.RequestURI())
	if u.RawQuery == "" {
		return path
	}
	return path + "?" + l.query(u.RawQuery)
}

// query is a query with its secrets replaced, the rest as it is.
func (l *Log) query(raw string) string {
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		switch {
		case ok && value != "" && (secretParameter(name) || l.clean(name+"=", value) != value):
			parts[i] = name + "=" + l.placeholder(value, len(value))
		case !ok && len(name) >= 16 && strings.ContainsAny(name, "0123456789"): // a token without a name
			parts[i] = l.placeholder(name, len(name))
		}
	}
	return strings.Join(parts, "&")
}

// secretParameter reports whether a parameter of a query holds a secret.
func secretParameter(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	return isLoginSecret(name)
}

// secret is what is kept of a credential.
func (l *Log) secret(value string) *session.Secret {
	s := l.secrets.get(value, func() session.Secret {
		s := session.Secret{Len: len(value), Hash: l.hash(value)}
		readClaims(&s, value)
		return s
	})
	return &s
}

// hash is the keyed hash of a credential, 8 hex digits.
func (l *Log) hash(value string) string {
	mac := hmac.New(sha256.New, l.Key)
	mac.Write([]byte(value))
	return hex.EncodeToString(mac.Sum(nil)[:4])
}

// maxClaim is the most that is kept of a claim, in bytes.
const maxClaim = 256

// readClaims keeps iss, aud, exp and scope of a JWT: RFC 7519 §4.1, RFC 8693 §4.2. Any
// other value has none.
func readClaims(s *session.Secret, token string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return
	}
	s.Iss, s.Aud, s.Scp = claim(claims, "iss"), claim(claims, "aud"), claim(claims, "scope")
	exp, err := strconv.ParseFloat(string(lex.Get(claims, "exp")), 64)
	if err == nil && exp > 0 && exp < 1<<53 {
		s.Exp = int64(exp)
	}
}

// claim is a claim's text; that of an array are its texts, separated by spaces.
func claim(claims []byte, name string) string {
	value := lex.Get(claims, name)
	text := ""
	switch {
	case len(value) > 0 && value[0] == '"':
		text = lex.Unquote(value)
	case len(value) > 0 && value[0] == '[':
		var all []string
		for _, item := range lex.Items(value) {
			if item[0] == '"' {
				all = append(all, lex.Unquote(item))
			}
		}
		text = strings.Join(all, " ")
	}
	return strings.ToValidUTF8(text[:min(len(text), maxClaim)], "")
}
