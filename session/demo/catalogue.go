package demo

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"wiretea/session/lazy"
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

//go:embed tour.txt
var tour string

// Tour returns what `wiretea demo` plays for a newcomer, the healthy server
// first.
func Tour() []Scene { return scenes("stdio") }

// TourHTTP is Tour over HTTP.
func TourHTTP() []Scene { return scenes("http") }

func scenes(over string) []Scene {
	var scenes []Scene
	for line := range lazy.Lines(tour) {
		if words := strings.SplitN(line, " ", 3); words[0] == over {
			b, _ := Lookup(words[1])
			scenes = append(scenes, Scene{Behaviour: b, Says: words[2]})
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
