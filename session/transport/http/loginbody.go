package http

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/secrets"
)

// maxLogin is the longest body of a login that is recorded, in bytes.
const maxLogin = 64 << 10

// A login is the copy of a body that may belong to a login by OAuth: a form, the response to
// one, and a JSON response to what is not known to be a message, as to a client's registration
// (RFC 7591). It is recorded without its credentials when it has ended.
type login struct {
	text  []byte
	long  int64 // long counts the bytes behind maxLogin.
	form  bool  // form: the body is a form, or the response to one.
	coded bool  // coded: the body keeps a content coding, so that the secrets of a form cannot be found.
}

// rpc is in each message of JSON-RPC, and in no body of a login.
var rpc = []byte(`"jsonrpc"`)

// loginRequest returns the login of a request with that header, nil unless its body is a form:
// that of a request for a token is one (RFC 6749 §4.1.3).
func loginRequest(h http.Header, codings []string) *login {
	if kind := mediaType(h); kind != "application/x-www-form-urlencoded" && kind != "multipart/form-data" {
		return nil
	}
	return &login{form: true, coded: keepsCoding(h, codings)}
}

// loginResponse is loginRequest for a response with that header.
func (t *TripRecorder) loginResponse(h http.Header, codings []string) *login {
	l := &login{form: t.sent.login != nil, coded: keepsCoding(h, codings)}
	switch kind := mediaType(h); {
	case kind == "text/event-stream", !l.form && (kind != "application/json" || t.sent.rpc || l.coded):
		return nil
	}
	return l
}

func mediaType(h http.Header) string {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind
}

// keepsCoding reports whether a body has a content coding beside those that are removed.
func keepsCoding(h http.Header, removed []string) bool {
	coding := h.Get("Content-Encoding")
	return removed == nil && coding != "" && coding != "identity"
}

// copy puts bytes of a body into the tap, or into its login as long as it may be one.
func (t *TripRecorder) copy(b *body, s session.Stream, chunk []byte) {
	l := b.login
	if l == nil {
		t.log.Tap.PutTrip(t.number, s, chunk)
		return
	}
	n := min(len(chunk), maxLogin-len(l.text))
	l.text = append(l.text, chunk[:n]...)
	if s == session.C2S && isJSON(l.text) || !l.form && (n < len(chunk) || bytes.Contains(l.text, rpc)) {
		b.login = nil
		t.log.Tap.PutTrip(t.number, s, l.text)
		if n < len(chunk) {
			t.log.Tap.PutTrip(t.number, s, chunk[n:])
		}
		return
	}
	l.long += int64(len(chunk) - n)
}

// isJSON reports whether a text begins as an object or an array does.
func isJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// endLogin puts the login of a body that has ended into the tap, if there is one.
func (t *TripRecorder) endLogin(b *body, s session.Stream) {
	if l := b.login; l != nil && len(l.text) > 0 {
		t.log.Tap.PutTrip(t.number, s, t.log.withoutCredentials(l, l.text))
		l.text = nil
	}
}

// loginSecrets are parameters and members of a login that are secret, and whose names do not
// tell.
var loginSecrets = []string{"assertion", "device_code", "user_code", "verification_uri_complete", "software_statement"}

// parameters are more names of secrets in queries and forms.
var parameters = []string{"code", "state", "key", "k", "sid", "ticket", "hmac", "nonce", "samlresponse", "samlrequest"}

// withoutCredentials returns the text of a login with its secrets replaced. A message is
// returned as it is.
func (l *Log) withoutCredentials(of *login, text []byte) []byte {
	switch {
	case bytes.Contains(text, rpc):
		return text
	case of.form && (of.coded || of.long > 0 || len(text) > maxLogin):
		return []byte(l.placeholder(string(text), len(text)+int(of.long)))
	case of.form && !isJSON(text) && !bytes.HasPrefix(text, []byte("--")):
		text = []byte(l.query(string(text)))
	}
	return l.replaced(&secrets.Finder{Names: loginSecrets}, "", string(text))
}

// isLoginSecret reports whether a parameter of that name is secret.
func isLoginSecret(name string) bool {
	return slices.Contains(parameters, strings.ToLower(name)) || slices.Contains(loginSecrets, name) || secrets.Named(name)
}

// placeholder stands for a secret of n bytes. Package secrets knows it by its beginning and
// the number at its end.
func (l *Log) placeholder(value string, n int) string {
	return secrets.Placeholder(l.hash(value), n)
}
