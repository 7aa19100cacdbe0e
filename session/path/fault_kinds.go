package path

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/lazy"
)

// A Kind is a kind of fault.
type FaultKind struct {
	Name     string
	Argument string // Argument is an example of its argument; empty where it takes none.
	Help     string // Help says what it does, in one line.
	Where    Where  // Where says over which transport it works.

	same  bool // same: the peers get what was sent, only later or in another way.
	read  func(argument string) (value, error)
	apply func(m *Message, v value, s *state) (session.Ruling, bool)
}

// Where says over which transport a kind works.
type Where uint8

const (
	Everywhere Where = iota
	Stdio            // Stdio: over stdio alone.
	HTTP             // HTTP: over HTTP alone.
)

// String says it in words.
func (w Where) String() string { return [...]string{"every transport", "stdio", "HTTP"}[w] }

// A value is the argument of a fault.
type value struct {
	time time.Duration
	size int
	text string
}

// A state is what a fault remembers.
type state struct {
	random *rand.Rand // random is that of the message's direction.
	lanes  map[lane]*passage
}

// A lane is one direction of a connection.
type lane struct {
	scope  int
	stream session.Stream
}

// A passage is what a fault remembers of a lane.
type passage struct {
	until time.Time // until is when hang ends; zero = it has not begun.
	shut  bool      // shut: nothing passes any more.

	waiting int // waiting is how many bodies wait for until.
}

// maxLanes is how many lanes a fault remembers.
const maxLanes = 4096

// at is the passage of a message.
func (s *state) at(m *Message) *passage {
	key := lane{m.Scope, m.Stream}
	p := s.lanes[key]
	if p == nil {
		if s.lanes == nil || len(s.lanes) >= maxLanes {
			s.lanes = map[lane]*passage{}
		}
		p = new(passage)
		s.lanes[key] = p
	}
	return p
}

// limits of arguments.
const (
	longestDelay = time.Hour
	largest      = 256 << 20
)

// FaultKinds returns the kinds of faults. They must not be changed.
func FaultKinds() []FaultKind { return kinds.Get() }

var kinds = lazy.Value[[]FaultKind]{New: func() []FaultKind {
	return []FaultKind{
		{"delay", "2s", "forwards the message that much later; others pass meanwhile", Everywhere, true, duration, delay},
		{"drop", "", "does not forward the message, and tells nobody", Everywhere, false, nothing, drop},
		{"hang", "30s", "forwards nothing more in the direction of the message, for that time (default for ever)", Everywhere, false, perhaps, hang},
		{"duplicate", "", "forwards the message twice", Everywhere, false, nothing, duplicate},
		{"reorder", "", "forwards the message behind the next one of its direction, or after 1 s", Everywhere, true, nothing, reorder},
		{"truncate", "40", "forwards only the first bytes of the message (default half of it)", Everywhere, false, size(0), truncate},
		{"reset", "", "ends both directions in place of the message", Everywhere, false, nothing, reset},
		{"wrong-id", "", "gives a response an id that no request has", Everywhere, false, nothing, wrongID},
		{"result-to-error", "out of tea", "makes a result an error with the code -32603 and that message", Everywhere, false, text("injected by wiretea"), resultToError},
		{"corrupt", "", "changes one letter, digit or truth value of the content; its JSON and its types stay valid", Everywhere, false, nothing, corrupt},
		{"junk-line", "debug: hi", "puts a line that is not JSON before the message", Everywhere, false, text("debug: injected by wiretea"), junkLine},
		{"oversize", "11M", "makes the message that long, by white space in it (default 11M)", Everywhere, false, size(11 << 20), oversize},
		{"kill", "", "forwards the message, and kills the server's process", Stdio, false, nothing, kill},
		{"stop", "5s", "forwards the message, and stops the server's process for that time (default 5s)", Stdio, false, perhaps, stop},
		{"status", "503", "answers with that HTTP status: a request is not forwarded, a response is replaced (default 503)", HTTP, false, status, answerStatus},
		{"close", "", "closes the connection in the middle of the message", HTTP, false, nothing, closeWithin},
	}
}}

func kindNames() []string {
	var all []string
	for _, k := range FaultKinds() {
		all = append(all, k.Name)
	}
	return all
}

func nothing(argument string) (value, error) {
	if argument != "" {
		return value{}, errors.New("it takes no argument")
	}
	return value{}, nil
}

func duration(argument string) (value, error) {
	d, err := time.ParseDuration(argument)
	if err != nil || d < 0 || d > longestDelay {
		return value{}, fmt.Errorf("%q is not a time of at most %v, such as 2s or 200ms", argument, longestDelay)
	}
	return value{time: d}, nil
}

// perhaps reads a time that may be absent.
func perhaps(argument string) (value, error) {
	if argument == "" {
		return value{}, nil
	}
	return duration(argument)
}

// status reads a status.
func status(argument string) (value, error) {
	if argument == "" {
		return value{size: 503}, nil
	}
	n, err := strconv.Atoi(argument)
	if err != nil || n < 200 || n > 599 {
		return value{}, fmt.Errorf("%q is not an HTTP status from 200 to 599", argument)
	}
	return value{size: n}, nil
}

func size(usual int) func(string) (value, error) {
	return func(argument string) (value, error) {
		if argument == "" {
			return value{size: usual}, nil
		}
		digits, unit := argument, 1
		for suffix, factor := range map[string]int{"k": 1 << 10, "M": 1 << 20} {
			if cut, ok := strings.CutSuffix(argument, suffix); ok {
				digits, unit = cut, factor
			}
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > largest/unit {
			return value{}, fmt.Errorf("%q is not a number of bytes up to %dM, such as 40, 64k or 11M", argument, largest>>20)
		}
		return value{size: n * unit}, nil
	}
}

func text(usual string) func(string) (value, error) {
	return func(argument string) (value, error) {
		if strings.ContainsAny(argument, "\r\n") {
			return value{}, errors.New("the text has a line break")
		}
		argument = cmp.Or(argument, usual)
		return value{text: argument}, nil
	}
}
