package capture

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/transport"
)

// A Server is a server that a Run connects to.
type Server interface {
	// Describe sets the fields of a session's header that say which server it is:
	// Trans and, for a process, Cmd, Cwd and EnvKeys, else URL.
	Describe(h *session.Header)

	// Start opens the next connection. What crosses it goes to tap. The errors of a
	// process that could not be started are *transport.StartError. why is why it is opened
	// once more, in words, and is recorded; empty the first time, and where there is no
	// reason to tell.
	Start(tap *transport.Tap, why string) (Conn, error)
}

// A Conn is a connection to a server. One goroutine may read while another writes.
type Conn interface {
	// Read returns what the server sent, io.EOF at its end.
	io.Reader

	// Write sends to the server.
	io.Writer

	// CloseWrite ends what the client sends.
	CloseWrite() error

	// Number is the connection's number in the session, from 1.
	Number() int

	// Done is closed when the connection has ended and nothing of it is left.
	Done() <-chan struct{}

	// Shutdown ends the server as the specification says, and waits for Done. Once
	// ctx is done no step is given time any more.
	Shutdown(ctx context.Context) (transport.Exit, error)

	// ShutdownWithin is Shutdown with at most limit for each step.
	ShutdownWithin(ctx context.Context, limit time.Duration) (transport.Exit, error)
}

// A Process is a server that is started by a command, with its streams as pipes.
// Its fields may be changed between connections.
type Process struct {
	Argv  []string
	Shown []string // Shown is what the header has instead of Argv, whose words may have secrets filled in; nil means Argv.
	Dir   string   // Dir is the working directory; empty means that of this process.
	Env   []string // Env adds to our own environment, as NAME=value.
	Grace transport.Grace

	stdio transport.Stdio
	guard func(*transport.Gate) (release func()) // guard has something act on the streams; nil = nothing does.
}

// Describe implements Server.
func (p *Process) Describe(h *session.Header) {
	h.Trans, h.Cmd, h.Cwd, h.EnvKeys = "stdio", p.Argv, workingFolder(p.Dir), EnvNames(p.Env)
	if p.Shown != nil {
		h.Cmd = p.Shown
	}
}

// Start implements Server. The connections are *transport.Conn.
func (p *Process) Start(tap *transport.Tap, why string) (Conn, error) {
	p.stdio.Command = transport.Command{Argv: p.Argv, Dir: p.Dir, Env: append(os.Environ(), p.Env...), Why: why}
	p.stdio.Tap, p.stdio.Grace, p.stdio.Guard = tap, p.Grace, p.guard
	conn, err := p.stdio.Start()
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// workingFolder is dir, or the current directory where dir is empty; empty if that
// is unknown.
func workingFolder(dir string) string {
	if dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}

// EnvNames returns the sorted names of NAME=value pairs.
func EnvNames(env []string) []string {
	var keys []string
	for _, pair := range env {
		key, _, _ := strings.Cut(pair, "=")
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
