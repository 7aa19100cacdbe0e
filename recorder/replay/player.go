package replay

import (
	"context"
	"errors"
	"io"
	"time"

	"wiretea/session/json/diff"
	"wiretea/session/transport"
)

// A Server is a live server that is played to. One goroutine reads while another
// writes.
type Server interface {
	io.ReadWriter

	// Shutdown closes the server's input, ends it where it does not end with that,
	// and returns once it has ended and all that it wrote was read.
	Shutdown(ctx context.Context) (transport.Exit, error)
}

// Player plays a recorded client.
type Player struct {
	Pace Pace

	// Step, unless nil, is asked before each step of the client's, with its number
	// and what is sent. An error ends the play.
	Step func(ctx context.Context, n uint64, what string) error

	Bytes     bool // Bytes sends the recorded bytes as they are, also those that are not messages.
	KeepGoing bool // KeepGoing goes on after a divergence.

	// Ignore are paths of whole messages whose values do not count. Strict leaves
	// nothing else out: else MustDiffer, and times in strings, do not count either.
	Ignore []diff.Path
	Strict bool

	// IgnoreMethods are notifications that may come, or not, in any number.
	IgnoreMethods []string

	// Timeout returns how long an answer may take; an answer that took longer in the
	// recording may take twice as long again. Nil means a minute.
	Timeout func(method string) time.Duration

	Found func(*Divergence) // Found, unless nil, is called with each divergence when it is found.
}

// MustDiffer are the paths whose values do not count: metadata, times, and the
// version of the server, which is another one in a fix.
var MustDiffer = []string{".._meta", "..timestamp", "..createdAt", "..updatedAt", "..lastUpdatedAt", "..lastModified", ".result.serverInfo.version"}

// ErrEra is returned where a recording of one era is played to a server that speaks
// only the other one. What wraps it says which.
var ErrEra = errors.New("the server does not speak the recording's era")

// Kind is what a divergence is.
type Kind uint8

const (
	Differs    Kind = iota // Differs: another message, or another way to write it.
	Missing                // Missing: what the recorded server sent has not come in time, or not before the end.
	Unexpected             // Unexpected: the recorded server did not send this.
	Died                   // Died: the server ended where the recorded one did not.
	Ended                  // Ended: it ended in another way.
)

var kindWords = [...]string{"differs", "missing", "unexpected", "died", "ended"}

// String returns the kind's word.
func (k Kind) String() string { return kindWords[k] }

// A Divergence is where a live server did something else than the recorded one.
type Divergence struct {
	Kind     Kind
	N        uint64 // N is the recorded frame; of what was unexpected the client's latest one before it. 0 = none.
	What     string // What is the message in a few words: "tools/call echo (7)".
	Why      string // Why says in one line what is the matter.
	TimedOut bool   // TimedOut: it was waited for in vain, and the server lives.
	Request  int32  // Request is the client's request that it belongs to, a place in Script.Messages; -1 = none.

	// Old and New are the recorded and the live message, with Differs. What does not
	// count has the recorded values in both. New alone is set with Unexpected, Old
	// with Missing.
	Old, New []byte
}

// An Outcome is what came of a play.
type Outcome struct {
	Sent     int // Sent counts the client's messages that were sent.
	LeftOut  int // LeftOut counts the frames that were not: no messages, or answers to questions that were not asked.
	Compared int // Compared counts the server's messages and lines that were compared.
	Found    int // Found counts the divergences.
	First    []Divergence
	Exit     transport.Exit
	Took     []time.Duration // Took is how long each request's answer took, by its place in Script.Messages; 0 = none came.
	Stopped  bool            // Stopped: a divergence ended the play.
}

// maxKept is how many divergences an Outcome keeps.
const maxKept = 1000

// Play plays a script, read at the ServerEnd, to a server that was just started,
// and ends the server. It returns early with ctx's error, leaving the server to its
// owner.
func (cfg Player) Play(ctx context.Context, s *Script, server Server) (*Outcome, error) {
	if cfg.Timeout == nil {
		cfg.Timeout = func(string) time.Duration { return time.Minute }
	}
	p := newPlay(ctx, cfg, s, server)
	defer close(p.stop)
	err := p.loop()
	return &p.got, err
}
