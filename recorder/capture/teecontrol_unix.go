//go:build unix

package capture

import (
	"context"
	"sync/atomic"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// A teeControl lets viewers act on the session of a tee; nil lets nobody. Whatever
// goes wrong here, the traffic goes on.
type teeControl struct {
	socket
	injector *path.Injector
	gate     handshakeGate
	begun    atomic.Bool // begun: the server was started.
}

// newTeeControl returns the control of a tee.
func newTeeControl(tee *transport.Tee, interceptor *path.Interceptor) *teeControl {
	c := &teeControl{gate: handshakeGate{behind: tee.Tap.Behind}}
	c.injector = path.NewInjector(path.Config{Ready: c.gate.ready, End: func(ctx context.Context) error {
		if !c.begun.Load() {
			return session.ErrTooEarly
		}
		return tee.End(ctx)
	}})
	c.interceptor, c.control = interceptor, c.injector
	tee.Gate = c.injector.Gate()
	return c
}

// listen is socket.listen; the handshake is looked for in the record.
func (c *teeControl) listen(dir string, sink *recorder.Sink, hdr *session.Header) string {
	if c == nil {
		return ""
	}
	c.gate.log.Store(sink)
	return c.socket.listen(dir, sink, hdr)
}

// begin says that the server was started.
func (c *teeControl) begin() {
	if c != nil {
		c.begun.Store(true)
	}
}

// sweep removes what killed tees have left.
func (c *teeControl) sweep() {
	if c != nil {
		c.socket.sweep()
	}
}

// end removes the socket.
func (c *teeControl) end() {
	if c != nil {
		c.socket.end()
	}
}
