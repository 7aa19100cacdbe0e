package session

import (
	"strconv"
	"strings"
	"time"
)

// An HTTPEvent is an event of a round trip, which is one HTTP request and its response.
// The bodies are not in it: they are the streams C2S and S2C of the round trip.
type HTTPEvent struct {
	// Event is
	//
	//	req   the request's head was read or written: Conn, Method, Target, Server, Proto, Remote, Fields, Coding, Changed, Probe, Ours
	//	conn  a connection for it was found: Remote, Proto, Reused, DNS, Dial, TLS, Cert
	//	sent  the request's body has ended
	//	received  a body of the response has ended, and another one follows in its place: it is not recorded
	//	res   the response's head: Status, Proto, Fields, Coding, Changed, Ours; interim ones (1xx) are before it
	//	sse   what is in an event stream between its messages: Text
	//	err   the request failed, its response could not be forwarded, or the content coding
	//	      could not be removed from the copy of a body: Why is the error
	//	end   the end of the round trip: Why, Sent, Received, Fields are the trailers
	Event string `json:"ev"`

	Conn   int         `json:"-"`                // Conn is the connection that the round trip belongs to, from 1.
	Method string      `json:"method,omitempty"` // Method is the method, POST.
	Target string      `json:"url,omitempty"`    // Target is the path and the query, with credentials in it replaced.
	Server string      `json:"server,omitempty"` // Server is the origin that the request was sent to, http://127.0.0.1:3001.
	Proto  string      `json:"proto,omitempty"`  // Proto is the protocol, HTTP/1.1.
	Remote string      `json:"remote,omitempty"` // Remote is the address of the client (req) or the server (conn).
	Status int         `json:"status,omitempty"` // Status is the response's status code.
	Fields []HTTPField `json:"fields,omitempty"` // Fields are the header fields in their order.
	Coding string      `json:"coding,omitempty"` // Coding is the content coding that was removed from the recorded body; empty for none.

	// Probe, with req: wiretea made the request to see how the server takes it.
	Probe bool `json:"probe,omitempty"`

	// Changed are the fields that a proxy forwarded with another value than Fields has,
	// which is what it received: Host and Origin of a request, Location of a response.
	Changed []HTTPField `json:"changed,omitempty"`

	// Ours, with req: wiretea made the request between client and server, no client sent it.
	// With res: the response is wiretea's own, no server sent it.
	Ours bool `json:"ours,omitempty"`

	Reused bool      `json:"reused,omitempty"` // Reused: the connection has carried an earlier round trip.
	DNS    int64     `json:"dns,omitempty"`    // DNS is how long the name's look-up took, in ns.
	Dial   int64     `json:"dial,omitempty"`   // Dial is how long connecting took, in ns.
	TLS    int64     `json:"tls,omitempty"`    // TLS is how long its handshake took, in ns.
	Cert   *HTTPCert `json:"cert,omitempty"`   // Cert is the server's certificate; nil without TLS.

	Text []byte `json:"-"` // Text is verbatim: comments, and events without data.

	// Why is, with end: eof, client or server (who went away), reset, timeout, wiretea (which
	// ended it because it was ended itself); with err the error.
	Why      string `json:"why,omitempty"`
	Sent     int64  `json:"sent,omitempty"`     // Sent is the length of the request's body in bytes, as it crossed.
	Received int64  `json:"received,omitempty"` // Received is that of the response.
}

// Refusal rewords Go's text of an error of connecting, such as "dial tcp 127.0.0.1:80:
// connect: connection refused", for people. It returns any other text unchanged.
func Refusal(text string) string {
	before, dial, ok := strings.Cut(text, "dial tcp ")
	if host, why, cut := strings.Cut(dial, ": "); ok && cut {
		return before + strings.TrimPrefix(why, "connect: ") + " at " + host
	}
	return text
}

// NotDecoded is what Why, with err, begins with where the content coding could not be removed
// from the copy of a body, and CopyOfResponse is behind the coding if that body is the
// response's. Recordings of older versions do not say whose it is.
const (
	NotDecoded     = "removing the content coding "
	CopyOfResponse = " from the recorded copy of the response: "
)

// What may help where the HTTP proxy on the way to a server demands a user, does not connect,
// or where the connection through a proxy fails.
const (
	ProxyUserHint    = "write the user into the URL of --proxy, or of HTTPS_PROXY"
	ProxyConnectHint = "look at the proxy, or name the host in NO_PROXY to go past it"
	ProxyHint        = "look at --proxy, at HTTP_PROXY and HTTPS_PROXY, and at the proxy"
)

// An HTTPField is a header field. A credential's value never leaves the process: Value is
// then its scheme, and Secret says the rest.
type HTTPField struct {
	Name   string  `json:"n"`
	Value  string  `json:"v"`
	Secret *Secret `json:"secret,omitempty"`
}

// A Secret is what is kept of a credential.
type Secret struct {
	Len  int    `json:"len"`           // Len is its length in bytes, without the scheme.
	Odd  bool   `json:"odd,omitempty"` // Odd: a session id has bytes other than visible ASCII, 0x21 to 0x7E.
	Hash string `json:"hash"`          // Hash is equal for equal credentials on this machine: 8 hex digits, keyed.
	Iss  string `json:"iss,omitempty"` // Iss, Aud, Exp and Scope are claims of a JWT; empty if it is none.
	Aud  string `json:"aud,omitempty"` // Aud has several audiences separated by spaces.
	Exp  int64  `json:"exp,omitempty"` // Exp is in seconds since 1970; 0 means none.
	Scp  string `json:"scope,omitempty"`
}

// An HTTPCert is a server's certificate and the TLS version.
type HTTPCert struct {
	Version string `json:"tls"` // Version is "TLS 1.3".
	Subject string `json:"subject"`
	Issuer  string `json:"issuer"`
	End     int64  `json:"end"` // End is when it expires, in seconds since 1970.
}

// Field returns the value of the first field of that name, and whether there is one. The
// value of a credential is its scheme.
func (e *HTTPEvent) Field(name string) (value string, ok bool) {
	for i := range e.Fields {
		if strings.EqualFold(e.Fields[i].Name, name) {
			return e.Fields[i].Value, true
		}
	}
	return "", false
}

// Head returns the head of a request or a response as text, a line each; of an error
// what it says.
func (e *HTTPEvent) Head() string {
	var b strings.Builder
	switch e.Event {
	case "req":
		b.WriteString(e.Method + " " + e.Target + " " + e.Proto)
	case "res":
		b.WriteString(strings.TrimSpace(e.Proto + " " + strconv.Itoa(e.Status)))
	default:
		return e.Why
	}
	for i := range e.Fields {
		b.WriteString("\n" + e.Fields[i].String())
	}
	return b.String()
}

// String returns the field as a line, a credential as its scheme and what is kept of it.
func (f *HTTPField) String() string {
	s := f.Secret
	if s == nil {
		return f.Name + ": " + f.Value
	}
	parts := []string{strconv.Itoa(s.Len) + " bytes", "#" + s.Hash}
	for _, claim := range [...]struct{ name, value string }{{"iss", s.Iss}, {"aud", s.Aud}, {"scope", s.Scp}} {
		if claim.value != "" {
			parts = append(parts, claim.name+" "+claim.value)
		}
	}
	if s.Exp != 0 {
		parts = append(parts, "expires "+time.Unix(s.Exp, 0).UTC().Format(time.RFC3339))
	}
	return f.Name + ": " + strings.TrimSpace(f.Value+" <"+strings.Join(parts, ", ")+">")
}

// IsEvents reports whether the body of the response is an event stream that can be read:
// one without a content coding, or whose coding was removed.
func (e *HTTPEvent) IsEvents() bool {
	coding, coded := e.Field("Content-Encoding")
	return e.MediaType() == "text/event-stream" && (!coded || e.Coding != "" || strings.EqualFold(coding, "identity"))
}

// MediaType returns the media type of Content-Type in lower case without its
// parameters; empty if there is none.
func (e *HTTPEvent) MediaType() string {
	value, _ := e.Field("Content-Type")
	value, _, _ = strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(value))
}

// In a tee that speaks stdio to the client, on connection 1, and HTTP to the server, messages are
// decided on over HTTP. Connection 1 has the same messages: what was done to them there explains
// what is seen here.

// A cutting is what a fault has done to a connection itself.
type cutting uint8

const (
	notCut       cutting = iota
	cutLater             // cutLater: what the peers do afterwards may be a consequence, but not what one of their messages says.
	cutHandshake         // cutHandshake: it was before the revision was agreed on, by which all messages are judged, or within that.
)

// sever notes that a fault has acted on the connection.
func (c *conn) sever() {
	if c.cut = max(c.cut, cutLater); c.VersionText == "" || c.met {
		c.cut = cutHandshake
	}
}

// bridged reports whether the session is one of such a tee.
func (a *Analyzer) bridged() bool {
	return a.header != nil && a.header.Mode == "tee" && a.header.Trans == "http"
}

// maxMirrored is how many requests are remembered.
const maxMirrored = 4096

// mirror notes that a client's request, or its response (acted), was acted on over HTTP, or takes
// that note for the same request on connection 1.
func (a *Analyzer) mirror(c *conn, x *exchange, acted bool) {
	switch {
	case x.Sender != C2S || !a.bridged():
	case c.ID == a.first() && a.mirrored[x.hash]:
		delete(a.mirrored, x.hash)
		x.Acted = true
		a.store.edit(x.Req).Flags |= FlagDecided
	case c.ID != a.first() && (acted || x.Acted || c.cut != notCut):
		if a.mirrored == nil || len(a.mirrored) >= maxMirrored {
			a.mirrored = map[uint64]bool{}
		}
		a.mirrored[x.hash] = true
	}
}
