package demo

import (
	"context"
	"io"
	"slices"
	"time"
)

// A Behaviour is one way in which the demo server can behave.
type Behaviour struct {
	Name  string // Name is what `wiretea demo --server` takes.
	Title string // Title says in a few words what the server does.

	// Shows are the ids of the rules whose findings a conversation with it
	// brings; empty for a server that does nothing wrong.
	Shows []string

	// Calls are lines as a user types them that make the fault show, after the
	// handshake. Empty where the handshake or the end is enough.
	Calls []string

	// Patience is how long a client should wait for each answer for the fault to
	// show; 0 = as long as usual. Linger is how long it should then leave the
	// connection open.
	Patience, Linger time.Duration

	// Pace is how far apart a client should send the calls, without waiting for
	// answers; 0 = each when the one before it has been answered.
	Pace time.Duration

	fault fault
}

// Healthy reports whether the behaviour has no fault.
func (b *Behaviour) Healthy() bool { return len(b.Shows) == 0 }

// Names returns all behaviours, the healthy ones first, in an order that suits a
// list.
func Names() []Behaviour { return slices.Clone(catalogue()) }

// Lookup returns the behaviour of that name. It also knows those that Names
// leaves out: the child that some behaviours start, and one to measure with.
func Lookup(name string) (Behaviour, bool) {
	switch name {
	case sleeperName:
		return Behaviour{Name: name, Title: "sits there for a while: the child that other behaviours leave behind"}, true
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
// is cancelled, or the behaviour has it otherwise, and returns the exit code of
// the process. An unknown name is said on errw and returns 2. Closing out and in
// is tried where a behaviour calls for it and they are io.Closers.
func Serve(ctx context.Context, name string, in io.Reader, out, errw io.Writer) (exitCode int) {
	return serve(ctx, name, in, out, errw)
}

// A Scene is one step of the tour.
type Scene struct {
	Server string   // Server is the behaviour's name.
	Calls  []string // Calls are the lines sent to it after the handshake.
	Says   string   // Says is one line for a newcomer: what is happening.

	// Patience is how long to wait for each answer, 0 = as long as usual. Linger
	// is how long to leave the connection open after the last one. Pace is how
	// far apart to send the calls without waiting, 0 = wait for each answer.
	Patience, Linger, Pace time.Duration
}
