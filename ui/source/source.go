package source

import (
	"context"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
)

// A Source is a session to look at. Its methods return at once and may be called
// from any goroutine.
type Source interface {
	// Title names the session: the server's command, or the file.
	Title() string

	// Snapshot is the session as it is.
	Snapshot() *session.Snapshot

	// Log is where bodies are read.
	Log() recorder.Log

	// Now is the session's time in nanoseconds; the last record's for one that
	// is over.
	Now() int64

	// Live reports whether the session still goes on.
	Live() bool

	// Wake has a token whenever the session has moved since the last one was
	// taken.
	Wake() <-chan struct{}

	// Path is the session file, empty where there is none; Reason says why.
	Path() string
	Reason() error
}

// A Reader is what a Source is besides whose session is read from a file: until
// it has been read nothing can be said about its end.
type Reader interface {
	// Reading reports whether there is more to read. It returns at once.
	Reading() bool
}

// What a Source is besides, as far as something can be done to its session. The
// methods may take their time and are called in commands.
type (
	// A Sender leads to a live server.
	Sender interface {
		// Send sends a line as typed: a method with parameters, or a whole
		// message. It returns when that was answered, or could not be sent.
		Send(ctx context.Context, line string) error

		// Resend sends a request with parameters that have been on the wire, byte
		// for byte, and an id of its own. It returns as Send does.
		Resend(ctx context.Context, m recorder.Request) error

		// Cancel withdraws a request at the server, by the raw text of its id.
		Cancel(ctx context.Context, id string) error
	}

	// A Caller leads to a live server through a client of this process's own,
	// which can do all that a client can.
	Caller interface {
		// Client is the client of the latest connection; nil while there is none.
		// It returns at once.
		Client() *client.Client
	}

	// A Server is one that this process has started.
	Server interface {
		// Restart ends the server and starts it again, as a new connection.
		Restart(ctx context.Context) error

		// Close ends the server properly and the recording with it. Once ctx is
		// done no more grace is given.
		Close(ctx context.Context) error
	}

	// Asking is a session whose server may ask the person at the screen.
	Asking interface {
		// Questions is where its questions wait. It returns at once.
		Questions() *Questions
	}

	// A Logging session's server can be asked for log messages.
	Logging interface {
		// LogLevel is the level that was asked for; empty = none was. It returns at
		// once.
		LogLevel() string

		// SetLogLevel asks for messages of a level and above. The empty level asks
		// for none, in the modern era alone.
		SetLogLevel(ctx context.Context, level string) error
	}

	// An Interceptor is a session in whose path a person can be.
	Interceptor interface {
		// Intercept opens a place in the path, by which people know it.
		Intercept(ctx context.Context, by string) (session.Intercept, error)
	}

	// An Ender leads to a server that another process has started and that can be
	// ended there.
	Ender interface {
		// End ends the server, and returns when it has exited.
		End(ctx context.Context) error
	}
)

// An Attached is a Source whose session another process has. Whatever is done to
// it is done to the client that is connected there, so it is asked for.
type Attached interface {
	// Attachment says who that is. It returns at once.
	Attachment() Attachment
}

// What can be done with a request of a recording: it is sent to a server that is
// started for it.
type (
	// A Fresher is a Source whose requests can be.
	Fresher interface {
		// Fresh says what would be started. It returns at once.
		Fresh() FreshServer

		// Try starts it, shakes hands, sends a request and ends it. It may take its
		// time, and is called in a command.
		Try(ctx context.Context, t Trial) (Tried, error)
	}

	// A FreshServer is the command of one.
	FreshServer struct {
		Argv   []string
		Dir    string   // Dir is its working folder, empty = ours.
		Env    []string // Env are the names of variables that were set when it was recorded.
		Chosen bool     // Chosen: our user has chosen it; else it is in the recording, which may come from anybody.
		Why    string   // Why says why there is none, empty = there is.
	}

	// A Trial is a request that was recorded.
	Trial struct {
		recorder.Request
		Era     mcp.Era // Era and Version are those of its connection, as far as they are known.
		Version string
	}

	// A Tried is what the fresh server answered.
	Tried struct {
		Error  bool   // Error: Body is an error.
		Body   []byte // Body is the result or the error, verbatim.
		Took   time.Duration
		Server string // Server is what it calls itself, empty = it does not.
	}
)

// An Attachment names the processes of a session that is watched from outside. Pids are 0 and
// names empty where they are not known.
type Attachment struct {
	Tee        int    // Tee is the process that stands between client and server and records.
	Client     int    // Client is the process that the tee serves.
	ClientName string // ClientName is what it calls itself, else that process's name, made visible.
	Refused    string // Refused says why nothing can be done to the session, empty = it can.
}

// A Launching is a Source whose server is started by this process. Launcher names the
// package manager that fetches or builds it; empty where none does.
type Launching interface{ Launcher() string }
