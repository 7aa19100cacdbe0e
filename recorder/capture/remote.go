package capture

import (
	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/session/transport"
)

// A Remote is a server at a URL, which is spoken to over HTTP.
type Remote struct {
	Options http.Options

	remote *http.Remote
}

// NewRemote returns a Remote. It fails on options that cannot be used.
func NewRemote(opt http.Options) (*Remote, error) {
	remote, err := http.New(opt)
	if err != nil {
		return nil, err
	}
	return &Remote{Options: opt, remote: remote}, nil
}

// Describe implements Server.
func (r *Remote) Describe(h *session.Header) {
	h.Trans, h.URL = "http", http.Place(r.Options.URL)
}

// Start implements Server. Nothing is sent before the client sends, so that there is no
// error.
func (r *Remote) Start(tap *transport.Tap) (Conn, error) { return r.remote.Start(tap), nil }
