package http

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	trips "wiretea/session/transport/http"
)

// newError is the error of a message that got no response; means is empty where err says
// it all.
func newError(means string, err error) *client.HTTPError {
	e := &client.HTTPError{Means: means, Err: err}
	var host *net.DNSError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var record tls.RecordHeaderError
	var broken *trips.BrokenError
	var way *net.OpError
	var connect *trips.ConnectError
	switch {
	case means != "":
	case errors.As(err, &broken):
		e.Means, e.Err, e.Ours = "wiretea has broken the connection ("+broken.By+")", nil, true
	case errors.As(err, &connect):
		e.Means, e.Hint = "the HTTP proxy does not connect to the host", session.ProxyConnectHint
		if connect.Status == http.StatusProxyAuthRequired {
			e.Means, e.Hint = "the HTTP proxy requires authentication", session.ProxyUserHint
		}
	case errors.As(err, &way) && (way.Op == "proxyconnect" || strings.HasPrefix(way.Op, "socks")):
		e.Means, e.Hint = "the connection through the proxy failed", session.ProxyHint
	case errors.Is(err, syscall.EMFILE):
		e.Means, e.Hint = "wiretea has too many files open", "the limit of open files is too low: see ulimit -n"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Means, e.Hint = "nothing listens there", "start the server, or look at the port"
	case errors.As(err, &host):
		e.Means = "the host's name cannot be looked up"
	case errors.As(err, &authority):
		e.Means, e.Hint = "the server's certificate is not trusted", "--cacert FILE trusts its authority; --insecure trusts anybody"
	case errors.As(err, &name):
		e.Means = "the server's certificate is for another host"
	case errors.As(err, &record):
		e.Means, e.Hint = "the server does not speak TLS there", "the URL may have to begin with http://"
	case errors.Is(err, syscall.ECONNRESET):
		e.Means = "the server reset the connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Means = "the server closed the connection without a response"
	case strings.Contains(err.Error(), "malformed HTTP"):
		e.Means = "what listens there does not speak HTTP"
	default:
		e.Means = "the request failed"
	}
	return e
}

// explain is the error of a message whose response has no answer. text is the body, rpc
// the error in it, err how reading it ended.
func explain(r *reply, text []byte, rpc *client.RPCError, err error) *client.HTTPError {
	e := &client.HTTPError{Status: r.StatusCode, Phrase: http.StatusText(r.StatusCode), Type: mediaType(r.Header), RPC: rpc, Err: err}
	if utf8.Valid(text) {
		e.Text = excerpt(text)
	}
	if rpc != nil && rpc.Code == 0 && rpc.Message == "" {
		e.RPC = nil // The error is not one of JSON-RPC: see said.
	}
	e.Means, e.Hint = meaning(r, e)
	if problem := said(text, e); problem != "" && e.RPC == nil {
		if e.Means += "; the body says: " + problem; problem == e.Text {
			e.Text = "" // It is said.
		}
	}
	if err != nil {
		e.Means = "the body was cut off"
	}
	byUs(r, e, err)
	return e
}

// unanswered is the error of a request whose batch has answers, and none to it. What else the
// body says was given to the caller.
func unanswered(r *reply, text []byte, err error) *client.HTTPError {
	e := explain(r, text, nil, err)
	if err == nil && !e.Ours {
		e.Means, e.Hint = "the response has answers to other requests of the batch, and none to this one", ""
	}
	return e
}

// said returns what a body says that is neither a JSON-RPC message nor a page: its error, with
// its description, as OAuth writes both (RFC 6749 §5.2), or what other servers call it, else
// its beginning. Empty = it says no more than the status.
func said(text []byte, e *client.HTTPError) string {
	if e.Type == "text/html" || !utf8.Valid(text) {
		return ""
	}
	problem := string(text)
	if e.Status/100 == 2 {
		problem = ""
	}
	for _, name := range []string{"detail", "message", "error"} {
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			problem = cmp.Or(lex.Unquote(lex.Get(text, name)), problem)
		}
	}
	if more := lex.Unquote(lex.Get(text, "error_description")); more != "" {
		problem += ": " + more
	}
	problem = strings.Join(strings.Fields(problem), " ")
	if len(problem) < len(e.Phrase)+12 && strings.Contains(strings.ToLower(problem), strings.ToLower(e.Phrase)) {
		return "" // as in "404 page not found"
	}
	if len(problem) > maxSaid {
		problem = strings.ToValidUTF8(problem[:maxSaid], "") + "…"
	}
	return problem
}

// maxSaid is how much of a body is quoted in a sentence, in bytes.
const maxSaid = 160

// elsewhere is the hint for an answer that no MCP handler wrote.
const elsewhere = "look up the path of the endpoint in the server's code, or in what it prints when it starts"

// aboutHost reports whether a refusal is about the field Host, as the SDKs and Go word it.
func aboutHost(e *client.HTTPError) bool {
	text := e.Text
	if e.RPC != nil {
		text = e.RPC.Message
	}
	return e.Status == http.StatusMisdirectedRequest || e.Status/100 == 4 && strings.Contains(strings.ToLower(text), "invalid host")
}

// challenge returns what WWW-Authenticate says, in brackets: the schemes, an error, its
// description, and the scopes that it asks for. Empty = the field is absent.
func challenge(h http.Header) string {
	var parts []string
	for _, c := range trips.Challenges(h) {
		parts = append(parts, c.Scheme)
		for _, param := range c.Params {
			switch param[0] {
			case "scope":
				parts = append(parts, excerpt([]byte("scope "+param[1])))
			case "error", "error_description":
				parts = append(parts, excerpt([]byte(param[1])))
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// byUs marks an error that a fault or a decision of wiretea caused, not the server.
func byUs(r *reply, e *client.HTTPError, err error) {
	var broken *trips.BrokenError
	by := trips.AlteredBy(r.Response)
	if errors.As(err, &broken) {
		by, e.Err = broken.By, nil
	}
	if by != "" {
		e.Means, e.Hint, e.Ours = "wiretea has altered or replaced the response ("+by+")", "", true
	}
}

// excerpt is the beginning of a text.
func excerpt(text []byte) string {
	s := strings.TrimSpace(string(text))
	if len(s) > maxExcerpt {
		s = s[:maxExcerpt]
		for !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}

// meaning says what a response without an answer means, and what may help.
func meaning(r *reply, e *client.HTTPError) (means, hint string) {
	if aboutHost(e) {
		return "the server does not allow the Host " + cmp.Or(r.Request.Host, r.url.Host),
			"add it to the hosts that the server allows (allowed_hosts, allowedHosts or the like), or use a URL with one of them"
	}
	switch e.Status {
	case http.StatusBadRequest:
		// As Go and nginx say it.
		if strings.Contains(e.Text, "HTTP request to an HTTPS server") || strings.Contains(e.Text, "plain HTTP request was sent to HTTPS port") {
			return "the server speaks TLS there", "use https://"
		}
	case http.StatusUnauthorized:
		means, hint = "the server requires authentication", "--token-env VAR sends a bearer token, --header 'Name: value' anything else"
		if scheme := r.Header.Get("WWW-Authenticate"); scheme == "" || strings.HasPrefix(strings.ToLower(scheme), "bearer") {
			hint = "--login auto logs in by OAuth in the browser, " + hint
		}
		if r.Request.Header.Get("Authorization") != "" {
			means, hint = "the server refuses the credentials that were sent", "get new ones: they may have expired, or be for another server"
		}
		return means + challenge(r.Header), hint
	case http.StatusForbidden:
		if trips.ChallengeScope(r.Header) != "" {
			hint = "the token lacks a scope; --login scope='A B' asks for those that are named"
		}
		return "the server, or a proxy in front of it, refuses access" + challenge(r.Header), hint
	case http.StatusNotFound:
		if r.Request.Header.Get(mcp.SessionHeader) != "" {
			return "the server does not know the session any more", ""
		}
		answered := r.conn.hasAnswered()
		if v, _ := mcp.ParseVersion(r.Request.Header.Get(mcp.VersionHeader)); answered && v.Era() == mcp.Legacy && v != mcp.NoVersion {
			return "the server does not take this message, although it answered initialize at the path " + cmp.Or(r.url.EscapedPath(), "/"), ""
		}
		if answered {
			return "the server does not take this message", ""
		}
		means, hint = "nothing is served at the path "+cmp.Or(r.url.EscapedPath(), "/"), elsewhere
		if r.conn.transport() == SSE {
			means, hint = means+", which the endpoint event names", "if a proxy in front of the server removes a prefix of the path, have the server put it in front of the path (root_path or the like)"
		}
		return means, hint
	case http.StatusMethodNotAllowed:
		return r.Request.Method + " is not allowed there", elsewhere
	case http.StatusNotAcceptable:
		return "the server finds no type that it may answer in, although both were offered: " + strings.Join(r.Request.Header["Accept"], ", "), ""
	case http.StatusProxyAuthRequired:
		// Behind CONNECT the response is the server's.
		if r.url.Scheme == "http" && r.conn.remote.Through(r.url) != "" {
			return "the proxy requires authentication", "write the user into the URL of --proxy, or of HTTP_PROXY"
		}
		return "the server, or a proxy in front of it, requires authentication as to a proxy", ""
	case http.StatusRequestEntityTooLarge:
		return "the request is too long for the server, or for a proxy in front of it", ""
	case http.StatusTooManyRequests:
		means = "too many requests"
		if after := r.Header.Get("Retry-After"); after != "" {
			means += "; the server wants a pause of " + after + " s"
		}
		return means, ""
	}
	return byClass(r, e)
}

// byClass is meaning for what the class and the type of the response say.
func byClass(r *reply, e *client.HTTPError) (means, hint string) {
	switch {
	case e.Status/100 == 3:
		to, err := r.url.Parse(r.Header.Get("Location"))
		if err != nil || r.Header.Get("Location") == "" {
			return "the server redirects to nowhere", ""
		}
		return "the server redirects to " + Place(to) + ", which is not followed", "use that URL if it is the right one"
	case e.Status/100 == 5:
		return "the server, or a proxy in front of it, failed", ""
	case r.Header.Get("Content-Encoding") != "":
		return "the body has the content coding " + r.Header.Get("Content-Encoding") + ", which was not asked for", ""
	case e.Type == "text/html" && !strings.HasPrefix(e.Text, "{"):
		return "a web page came in the place of an answer", "a login page, a gateway, or another path than the endpoint's"
	case e.Status/100 == 4:
		if e.RPC == nil && e.Type == typeJSON && !r.conn.hasAnswered() {
			hint = elsewhere
		}
		return "the server refuses the request" + challenge(r.Header), hint
	case e.Status == http.StatusAccepted, e.Text == "":
		return "the request was taken without an answer", ""
	case e.RPC != nil:
		return "the body is an error that names no request, or another", ""
	}
	return fmt.Sprintf("the body (%s) is not the answer", e.Type), elsewhere
}

// cutOff is the error of a message whose stream ended without its answer, after it was
// open for so long. bare: it has JSON in the place of events. err is how it ended; nil at a
// plain end.
func cutOff(r *reply, open time.Duration, bare bool, err error) *client.HTTPError {
	e := &client.HTTPError{Status: r.StatusCode, Phrase: http.StatusText(r.StatusCode), Type: typeEvents, Err: err}
	e.Means = fmt.Sprintf("the event stream ended after %v without the answer", open.Round(100*time.Millisecond))
	if bare {
		e.Means = "the body is JSON, and its type is " + typeEvents
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		e.Means = "the event stream has the content coding " + coding + ", which was not asked for"
	}
	switch {
	case errors.Is(err, context.Canceled):
		e.Err = nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Err = errors.New("the connection was closed in the middle of it")
	}
	byUs(r, e, err)
	return e
}
