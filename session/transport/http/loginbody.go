package http

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"

	"wiretea/recorder/redact/secrets"
	"wiretea/session"
)

// maxLogin is the longest body of a login that is recorded, in bytes.
const maxLogin = 256 << 10

// A login is the copy of a body of a login by OAuth, a request for a token and its response
// say. It is recorded when it is whole, without its credentials, by the only one who puts.
type login struct {
	text  []byte
	long  int64 // long is how much follows behind maxLogin.
	coded bool  // coded: a content coding is left, so that its secrets cannot be told.
}

// loginBody returns an empty login, or nil unless the body with that header is one's.
func loginBody(is bool, h http.Header) *login {
	if !is {
		return nil
	}
	return &login{coded: removable(h) == nil && h.Get("Content-Encoding") != ""}
}

// isForm reports whether a request's body is a form: that of a request for a token is one (RFC
// 6749 §4.1.3), and no message of MCP.
func isForm(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "application/x-www-form-urlencoded"
}

// copy puts bytes of a body into the tap, or into its login.
func (t *Trip) copy(b *body, s session.Stream, chunk []byte) {
	if b.login == nil {
		t.log.Tap.PutTrip(t.number, s, chunk)
		return
	}
	n := min(len(chunk), maxLogin-len(b.login.text))
	b.login.text = append(b.login.text, chunk[:n]...)
	b.login.long += int64(len(chunk) - n)
}

// disclose puts a login that has ended into the tap, if the body is one's.
func (t *Trip) disclose(b *body, s session.Stream) {
	if b.login == nil || len(b.login.text) == 0 {
		return
	}
	text := t.log.withoutCredentials(b.login.text)
	if b.login.long > 0 || b.login.coded {
		text = []byte(t.log.placeholder(string(b.login.text), len(b.login.text)+int(b.login.long)))
	}
	b.login.text = nil
	t.log.Tap.PutTrip(t.number, s, text)
}

// loginSecrets are members of a login whose values are secret, and whose names are not like
// those of secrets.
var loginSecrets = secrets.Finder{Names: []string{"code", "state", "code_verifier", "device_code", "assertion", "client_assertion", "software_statement"}}

// withoutCredentials returns a body of a login, a form or JSON, with its secrets replaced.
func (l *Log) withoutCredentials(text []byte) []byte {
	if !bytes.ContainsAny(text, " \n{<") {
		return []byte(l.query(string(text)))
	}
	var out []byte
	at := 0
	for _, found := range loginSecrets.Find(text) {
		out = append(append(out, text[at:found.From]...), l.placeholder(found.Value, found.To-found.From)...)
		at = found.To
	}
	return append(out, text[at:]...)
}

// placeholder stands for a secret of that length in bytes. Package secrets knows it by its
// beginning and the number at its end.
func (l *Log) placeholder(value string, n int) string {
	return "redacted-" + l.hash(value) + "-" + strconv.Itoa(n)
}
