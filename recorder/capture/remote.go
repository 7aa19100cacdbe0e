package capture

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/session/transport"
)

// A Remote is a server at a URL, which is spoken to over HTTP.
type Remote struct {
	opt    http.Options
	remote *http.Remote

	mu   sync.Mutex
	warn io.Writer // warn takes what the user should know; nil before there is a Run.
}

// NewRemote returns a Remote; Key and Notice of opt are set by it. It fails on options
// that cannot be used.
func NewRemote(opt http.Options) (r *Remote, err error) {
	r = &Remote{opt: opt}
	r.opt.Key, r.opt.Notice = CredentialKey(), r.notice
	r.remote, err = http.New(r.opt)
	return r, err
}

// Describe implements Server.
func (r *Remote) Describe(h *session.Header) { h.Trans, h.URL = "http", http.Place(r.opt.URL) }

// Start implements Server. Nothing is sent before the client sends, so that there is no
// error.
func (r *Remote) Start(tap *transport.Tap, _ string) (Conn, error) { return r.remote.Start(tap), nil }

// Client is the client of the server.
func (r *Remote) Client() *http.Remote { return r.remote }

// warnTo has notices written to w.
func (r *Remote) warnTo(w io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warn = w
}

// notice writes a notice. What a server says in it is made visible.
func (r *Remote) notice(text string) {
	text = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '·'
	}, text)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.warn != nil {
		fmt.Fprintf(r.warn, "wiretea: %s\n", text)
	}
}
