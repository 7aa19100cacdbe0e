//go:build unix

package capture

import (
	"context"
	"path/filepath"
	"sync/atomic"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/control"
	"wiretea/session/transport"
)

// A teeControl lets viewers act on the session of a tee; nil lets nobody. Whatever
// goes wrong here, the traffic goes on.
type teeControl struct {
	injector *control.Injector
	server   control.Server
	gate     handshakeGate
	path     atomic.Pointer[string] // path is the socket's, nil = there is none.
	begun    atomic.Bool            // begun: the server was started.
}

// newTeeControl returns the control of a tee.
func newTeeControl(tee *transport.Tee) *teeControl {
	c := &teeControl{}
	c.injector = control.NewInjector(control.Config{Ready: c.gate.ready, End: func(ctx context.Context) error {
		if !c.begun.Load() {
			return session.ErrTooEarly
		}
		return tee.End(ctx)
	}})
	tee.Gate = c.injector.Gate()
	return c
}

// listen makes the socket of a session and returns its path, empty where it could
// not be made: then nobody acts on the session.
func (c *teeControl) listen(dir string, sink *recorder.Sink, hdr *session.Header) string {
	if c == nil || sink.Path() == "" {
		return "" // Without a file nobody can look at it.
	}
	folder, err := recorder.SessionsFolder(dir)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return ""
	}
	path, err := control.SocketPath(folder, hdr.SID)
	if err != nil {
		return ""
	}
	c.gate.log.Store(sink)
	c.server = control.Server{Control: c.injector, Log: sink}
	if c.server.Listen(path) != nil {
		return ""
	}
	c.path.Store(&path)
	return path
}

// begin says that the server was started.
func (c *teeControl) begin() {
	if c != nil {
		c.begun.Store(true)
	}
}

// sweep removes what killed tees have left.
func (c *teeControl) sweep() {
	if c == nil {
		return
	}
	if path := c.path.Load(); path != nil {
		control.Sweep(*path)
	}
}

// end removes the socket.
func (c *teeControl) end() {
	if c != nil && c.path.Load() != nil {
		c.server.Remove()
	}
}
