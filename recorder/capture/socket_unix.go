//go:build unix

package capture

import (
	"path/filepath"
	"sync/atomic"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
)

// A socket is the unix socket through which viewers in other processes act on a session, or hold its
// messages. Whatever goes wrong here, the traffic goes on.
type socket struct {
	control     session.Control   // control sends messages; nil = none are.
	interceptor *path.Interceptor // interceptor holds messages; nil = none are.
	server      path.Server
	path        atomic.Pointer[string] // path is the socket's, nil = there is none.
}

// listen makes the socket of a session and returns its path, empty where it could
// not be made: then nobody acts on the session.
func (d *socket) listen(dir string, sink *recorder.Sink, hdr *session.Header) string {
	if sink.Path() == "" {
		return "" // Without a file nobody can look at it.
	}
	folder, err := recorder.SessionsFolder(dir)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return ""
	}
	name, err := path.SocketPath(folder, hdr.SID)
	if err != nil {
		return ""
	}
	d.server = path.Server{Control: d.control, Interceptor: d.interceptor, Log: sink}
	if d.server.Listen(name) != nil {
		return ""
	}
	d.path.Store(&name)
	return name
}

// sweep removes what killed processes have left.
func (d *socket) sweep() {
	if name := d.path.Load(); name != nil {
		path.Sweep(*name)
	}
}

// end removes the socket.
func (d *socket) end() {
	if d.path.Load() != nil {
		d.server.Remove()
	}
}
