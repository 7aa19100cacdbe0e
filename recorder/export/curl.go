package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/text"
)

// ErrNoHTTP is returned for a session that is not over HTTP.
var ErrNoHTTP = errors.New("the session has no HTTP requests")

// Curl writes the requests of a session over HTTP as commands for curl. A credential is a
// variable of the shell, which its reader sets.
func Curl(ctx context.Context, w io.Writer, r *Recording) error {
	if !r.overHTTP() {
		return ErrNoHTTP
	}
	out := bufio.NewWriter(w)
	r.writeMissing(out, "# ")
	if err := r.trips(ctx, func(t *trip) error {
		_, err := fmt.Fprintf(out, "# trip %d\n%s\n", t.Number, t.curl())
		return err
	}); err != nil {
		return err
	}
	return out.Flush()
}

// setByCurl are the header fields that curl sets itself.
var setByCurl = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"content-length": true, "host": true, "connection": true, "accept-encoding": true, "transfer-encoding": true}
}}

// curl is the request as a command line. What a recording says cannot be an option of
// curl, nor a file that curl reads.
func (t *trip) curl() string {
	if t.server.Scheme != "http" && t.server.Scheme != "https" {
		return "# the recording names no URL of HTTP"
	}
	words := []string{"curl -sS -N -i"}
	if strings.ContainsAny(t.url(), "[]{}") {
		words[0] += " -g"
	}
	if t.Request.Method != "GET" {
		words = append(words, "-X "+text.ShellWord(t.Request.Method))
	}
	words = append(words, text.ShellWord(t.url()))
	for i := range t.Request.Fields {
		f := &t.Request.Fields[i]
		switch {
		case setByCurl.Get()[strings.ToLower(f.Name)], !isToken(f.Name):
		case f.Secret != nil:
			// The name is a token and the scheme a word, as the recorder cut it: what is
			// in double quotes is checked anyway.
			prefix := shellSafe(strings.TrimSpace(f.Name + ": " + f.Value))
			words = append(words, `-H "`+prefix+` $`+Variable(f)+`"`)
		default:
			words = append(words, "-H "+text.ShellWord(f.Name+": "+f.Value))
		}
	}
	if body := t.bodies[session.C2S]; t.Bytes[session.C2S] > 0 {
		words = append(words, "--data-raw "+text.ShellWord(string(body))) // curl reads a file for --data-binary @NAME
		if t.Bytes[session.C2S] > int64(len(body)) {
			words[0] = fmt.Sprintf("# the body is cut: %d of %d bytes\n%s", len(body), t.Bytes[session.C2S], words[0])
		}
	}
	return strings.Join(words, " \\\n  ")
}

// isToken reports whether a text is one of RFC 9110's tokens, as all names of fields are.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// Variable is the name of the variable of a shell that stands for a credential.
func Variable(f *session.HTTPField) string {
	if strings.EqualFold(f.Name, "Authorization") {
		return "TOKEN"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, f.Name)
}

// shellSafe leaves out what is not plain within double quotes.
func shellSafe(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune("\"$`\\!", r) {
			return -1
		}
		return r
	}, text)
}

// CurlOf returns the request of one round trip as a command for curl. row is the row of its
// request's head.
func CurlOf(ctx context.Context, log recorder.Log, snap *session.Snapshot, row uint32) (string, error) {
	h, r := snap.Header(), snap.Row(row)
	if h == nil || r.Kind != session.RowTrip {
		return "", ErrNoHTTP
	}
	t := &trip{Trip: &session.Trip{Number: int(r.Skip), Request: &session.HTTPEvent{}}}
	if t.server, _ = url.Parse(h.URL); t.server == nil {
		t.server = &url.URL{}
	}
	reader := recorder.NewReader(log, r.Off)
	var rec session.Record
	for ctx.Err() == nil {
		switch err := reader.Next(&rec); {
		case errors.Is(err, io.EOF):
			return t.curl(), nil
		case err != nil:
			return "", fmt.Errorf("reading the recording: %w", err)
		case rec.Trip != t.Number:
			continue
		}
		t.Take(&rec)
		t.add(&rec)
		if t.Response != nil || t.Err != "" || t.Over || rec.Kind == session.RecHTTP && rec.HTTP.Event == "sent" ||
			rec.Kind == session.RecFrame && rec.Stream == session.C2S {
			return t.curl(), nil
		}
	}
	return "", ctx.Err()
}
