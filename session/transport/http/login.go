package http

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// maxMetadata is how much of such metadata is read, in bytes.
const maxMetadata = 64 << 10

// challengeParam is a parameter of a challenge: RFC 9728 §5.1, RFC 6750 §3.
var challengeParam = lazy.Regexp{Text: `(?i)\b(resource_metadata|scope|error|error_description)\s*=\s*(?:"([^"]*)"|([^",\s]+))`}

// A Challenge is what a response demands in WWW-Authenticate, read as clients read it. The rule
// auth-challenge-syntax says what is wrong with it.
type Challenge struct {
	Scheme string
	Params [][2]string // Params are those that are known, with their names in lower case, in their order.
}

// Challenges returns the challenges of a response, one for each field.
func Challenges(h http.Header) (all []Challenge) {
	for _, value := range h.Values("WWW-Authenticate") {
		scheme, _, _ := strings.Cut(value, " ")
		c := Challenge{Scheme: scheme}
		for _, found := range challengeParam.Get().FindAllStringSubmatch(value, -1) {
			c.Params = append(c.Params, [2]string{strings.ToLower(found[1]), found[2] + found[3]})
		}
		all = append(all, c)
	}
	return all
}

// MetadataURL returns the URL of the protected resource's metadata that a challenge names, as it
// is written; empty if it names none.
func MetadataURL(h http.Header) string { return challenged(h, "resource_metadata") }

// ChallengeScope returns the scopes that a challenge asks for, with spaces between; empty if it
// asks for none.
func ChallengeScope(h http.Header) string { return challenged(h, "scope") }

// challenged returns a parameter of a challenge; empty if it is not there.
func challenged(h http.Header, name string) string {
	for _, c := range Challenges(h) {
		for _, param := range c.Params {
			if param[0] == name {
				return param[1]
			}
		}
	}
	return ""
}

// tellLogin says, once for each server, that it demands a login which clients cannot do here:
// its metadata is about its own URL, and a client must not use metadata of another resource
// than the one that it calls (RFC 9728 §3.3). That shows in a challenge and, where the client
// looks for the metadata by itself, in the metadata.
func (f *forward) tellLogin(res *http.Response) {
	if f.p.inner {
		return // Its client is at the server's own URL.
	}
	about := ""
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		about = MetadataURL(res.Header)
	case res.StatusCode == http.StatusOK && f.r.Method == http.MethodGet && strings.HasPrefix(f.target.url.Path, mcp.ResourceMetadata):
		about = resourceOf(res)
	}
	u, err := url.Parse(about)
	if err != nil || u.Host == "" {
		return
	}
	up := f.target.up
	prefix, path := f.p.router.prefix(up), strings.TrimPrefix(u.Path, mcp.ResourceMetadata)
	if strings.EqualFold(u.Host, f.r.Host) && (prefix == "" || strings.HasPrefix(prefix+up.URL.Path+"/", strings.TrimSuffix(path, "/")+"/")) {
		return
	}
	if _, told := f.p.foreign.LoadOrStore(up, true); told {
		return
	}
	way := ""
	if !f.p.cfg.KeepHost || prefix != "" {
		// The metadata has the server's own path, so the proxy's URL must have it too.
		way = "; with a server that takes its URL from Host, give the client what this prints: wiretea proxy --keep-host --secret-path off URL"
	}
	f.p.server.ErrorLog.Printf("wiretea: %s demands a login by OAuth. Clients that check its metadata, as those of the official SDKs do, refuse to log in behind the proxy, whose URL the metadata does not name. "+
		"Have the client send a token in its header, or let it log in without the proxy%s", up.origin(), way)
}

// resourceOf returns the resource that metadata is about, empty if none is found. The body is
// still there behind it.
func resourceOf(res *http.Response) string {
	if res.Header.Get("Content-Encoding") != "" {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxMetadata))
	rest := res.Body
	if err != nil {
		rest = io.NopCloser(errorReader{err})
	}
	res.Body = otherBody{io.MultiReader(bytes.NewReader(text), rest), res.Body}
	var metadata struct {
		Resource string `json:"resource"`
	}
	if json.Unmarshal(text, &metadata) != nil {
		return ""
	}
	return metadata.Resource
}

// An errorReader returns an error.
type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }
