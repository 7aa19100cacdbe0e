package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"wiretea/session/mcp"
)

// catalogue returns all behaviours. Behaviours with state between messages keep
// it in their entry, so each run needs a new catalogue.
func catalogue() []Behaviour {
	return slices.Concat(healthyOnes(), framingFaults(), envelopeFaults(), correlationFaults(), processFaults(), httpFaults())
}

// healthyName is the behaviour without a fault, on stdio and over HTTP.
const healthyName = "healthy"

func healthyOnes() []Behaviour {
	return []Behaviour{
		{Name: healthyName, Title: "works correctly, in both eras", Calls: tourOfHealthy},
		{Name: "legacy", Title: "works correctly, supports only initialize", Calls: []string{mcp.ToolsList, echoHi, mcp.Ping}, fault: fault{legacy: true}},
		{Name: "paged", Title: "works correctly, lists its tools in pages", Calls: []string{mcp.ToolsList}, fault: fault{paged: true}},
	}
}

var tourOfHealthy = []string{
	mcp.ToolsList,
	echoHi,
	addOne,
	slowCall,
	`tools/call {"name":"fail"}`,
	mcp.ResourcesList,
	`resources/read {"uri":"demo://about"}`,
	mcp.PromptsList,
	`prompts/get {"name":"greet","arguments":{"name":"Ada","language":"French"}}`,
	`completion/complete {"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"E"}}`,
}

// tour is the behaviours that a newcomer sees, in order, with an explanation.
var tour = []struct{ server, says string }{
	{"healthy", "A healthy server: probe, list, calls, progress, resources, prompts. Nothing to report."},
	{"log-line", "This server prints a log line to stdout, where only messages are allowed. The most common fault."},
	{"log-object", "A logger that writes JSON does not help: it parses, but it is not a message."},
	{"pretty", "Indented JSON: each line is a fragment. Some clients wait forever, the Go SDK accepts it."},
	{"string-id", "The response's id is a string, the request's was a number. Go clients never match it."},
	{"answers-twice", "The same response twice. Probably a handler is registered twice."},
	{"answers-notification", "Notifications must not be answered. Strict clients close the connection."},
	{"result-and-error", "error:null beside a result: TypeScript clients drop the whole response."},
	{"latin1", "One byte of Latin-1 among UTF-8: text is silently damaged, or reading fails."},
	{"huge-line", "A response of 12 MB on one line: above 10 MiB some clients close the connection."},
	{"chatty", "Dozens of lines on stderr, which is what stderr is for. Nothing to report."},
	{"slow", "Six seconds for a list. The timer runs while you wait."},
	{"no-answer", "A call that is never answered. After five seconds we cancel it."},
	{"crash", "The server crashes in a call. Its last lines on stderr say why; the exit code is 3."},
	{"exit-on-probe", "Modern clients send server/discover first. This server exits on it: the won't-connect bug of 2026."},
	{"ignores-eof", "The client has closed stdin, but the server keeps running until SIGTERM."},
}

// tourHTTP is the same over HTTP.
var tourHTTP = []struct{ server, says string }{
	{"healthy", "A healthy server over HTTP: each message is a POST, answered by JSON or by a stream. Nothing to report."},
	{"redirect", "/mcp redirects to /mcp/. With 301 the POST becomes a GET, and the message is lost."},
	{"login-page", "A page of HTML where JSON is due: something in front wants a login. The server never saw the request."},
	{"not-acceptable", "406, although Accept lists both types: something on the way has changed the request."},
	{"wrong-content-type", "The body is JSON, but Content-Type says text/plain. Clients do not read it."},
	{"notification-200", "A notification is answered with 200 and a body. It must be 202 without one."},
	{"dead-session", "The server forgets its session after the handshake, as replicas do that do not share their sessions."},
	{"session-400", "An ended session must be answered with 404, by which clients know that they must begin again. This is 400."},
	{"wrong-exchange", "Two calls at the same time, each answered on the other's exchange. In a shared server that is another user's data."},
	{"accepts-request", "A request is answered with 202, as if it were a notification. The client waits for its response."},
	{"buffered-stream", "A proxy holds the stream back: all progress arrives at the end, together with the response."},
	{"cut-stream", "The stream ends before the response. After three seconds we give up."},
	{"event-name", "The event has a name that clients do not listen to."},
	{"get-storm", "GET is answered with 200 and JSON. A client that wants a stream tries again, and again."},
	{"rate-limited", "429 without Retry-After: clients do not know when to try again."},
	{"bad-gateway", "502: the gateway is there, the server behind it is not."},
}

// Tour returns what `wiretea demo` plays for a newcomer, the healthy server
// first.
func Tour() []Scene { return scenes(tour) }

// TourHTTP is Tour over HTTP.
func TourHTTP() []Scene { return scenes(tourHTTP) }

func scenes(tour []struct{ server, says string }) []Scene {
	scenes := make([]Scene, 0, len(tour))
	for _, t := range tour {
		if b, ok := Lookup(t.server); ok {
			scenes = append(scenes, Scene{Behaviour: b, Says: t.says})
		}
	}
	return scenes
}

// A Behaviour is one variant of the demo server.
type Behaviour struct {
	Name  string // Name is what `wiretea demo --server` takes.
	Title string // Title describes the server in a few words.

	// Shows are the ids of the rules that a session with it violates; empty for
	// a correct server.
	Shows []string

	// Calls are lines as a user types them that trigger the fault after the
	// handshake. Empty if the handshake or the end is enough.
	Calls []string

	// Patience is how long a client should wait for each response so that the
	// fault shows; 0 = as long as usual. Linger is how long it should then
	// leave the connection open.
	Patience, Linger time.Duration

	// Pace is the interval at which a client should send the calls, without
	// waiting for responses; 0 = each after the response to the previous one.
	Pace time.Duration

	// Check are the flags with which `wiretea check URL` reports the fault of a behaviour of
	// HTTP; nil = none are needed. A fault that needs a call is not seen without one.
	Check []string

	fault fault

	// front is what is in front of the healthy server over HTTP; nil for a
	// behaviour of stdio and for the healthy one.
	front func(http.Handler) http.Handler
}

// OverHTTP reports whether NewHTTP knows the behaviour.
func (b *Behaviour) OverHTTP() bool { return b.front != nil || b.Name == healthyName }

// OverStdio reports whether Serve knows the behaviour.
func (b *Behaviour) OverStdio() bool { return b.front == nil }

// Healthy reports whether the behaviour has no fault.
func (b *Behaviour) Healthy() bool { return len(b.Shows) == 0 }

// Names returns all behaviours, the healthy ones first, in an order that suits
// a list.
func Names() []Behaviour { return slices.Clone(catalogue()) }

// Lookup returns the behaviour of that name. It also knows those that Names
// omits: the child process of some behaviours, and one for measurements.
func Lookup(name string) (Behaviour, bool) {
	switch name {
	case sleeperName:
		return Behaviour{Name: name, Title: "waits for a while: the child process that other behaviours leave behind"}, true
	case floodName:
		return flood(), true
	}
	all := catalogue()
	i := slices.IndexFunc(all, func(b Behaviour) bool { return b.Name == name })
	if i < 0 {
		return Behaviour{}, false
	}
	return all[i], true
}

// Serve runs the behaviour of that name on in, out and errw until in ends, ctx
// is cancelled, or the behaviour exits, and returns the exit code of the
// process. For an unknown name it writes an error to errw and returns 2. If a
// behaviour closes out, it must be an io.Closer.
func Serve(ctx context.Context, name string, in io.Reader, out, errw io.Writer) (exitCode int) {
	if name == sleeperName {
		return sleeper(ctx)
	}
	b, ok := Lookup(name)
	if !ok || !b.OverStdio() {
		fmt.Fprintf(errw, "demo: no server named %q; wiretea demo --list shows them\n", name)
		return 2
	}
	// Work that outlives its request ends with the server.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := newServer(ctx, &b.fault, errw)
	s.in, s.out = newSource(in, b.fault.contentLength), out
	defer s.in.stop()
	return s.run(b.Name)
}

func newServer(ctx context.Context, f *fault, errw io.Writer) *server {
	return &server{
		ctx:        ctx,
		fault:      f,
		errw:       errw,
		subscribed: make(map[string]bool),
		asked:      make(map[string]open),
		level:      levelIndex("info"),
		running:    make(map[*request]context.CancelFunc),
	}
}

// A Scene is one step of the tour: a behaviour, its calls, and Says, one line that
// tells a newcomer what is happening.
type Scene struct {
	Behaviour
	Says string
}
