package fault

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/lazy"
)

// A Kind is a kind of fault.
type Kind struct {
	Name     string
	Argument string // Argument is an example of its argument; empty where it takes none.
	Help     string // Help says what it does, in one line.
	Where    Where  // Where says over which transport it works.

	same  bool // same: the peers get what was sent, only later or in another way.
	read  func(argument string) (value, error)
	apply func(m *decide.Message, v value, s *state) (decide.Decision, bool)
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
	name string // name is that of a header field.
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
	left  int       // left is, for limit-data, how many bytes may still pass, plus one; 0 = nothing has passed.
	until time.Time // until is, for hang and slow-start, when they end; zero = they have not begun.
	shut  bool      // shut: nothing passes any more.

	waiting int // waiting is how many bodies wait for until.
}

// maxLanes is how many lanes a fault remembers.
const maxLanes = 4096

// at is the passage of a message.
func (s *state) at(m *decide.Message) *passage {
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

// Kinds returns the kinds of faults. They must not be changed.
func Kinds() []Kind { return kinds.Get() }

var kinds = lazy.Value[[]Kind]{New: func() []Kind {
	return []Kind{
		{"delay", "2s", "forwards the message that much later; others pass meanwhile", Everywhere, true, duration, delay},
		{"jitter", "200ms", "like delay, by a random time up to that", Everywhere, true, duration, jitter},
		{"drop", "", "does not forward the message, and tells nobody", Everywhere, false, nothing, drop},
		{"hang", "30s", "forwards nothing more in the direction of the message, for that time (default for ever)", Everywhere, false, perhaps, hang},
		{"duplicate", "", "forwards the message twice", Everywhere, false, nothing, duplicate},
		{"reorder", "", "forwards the message behind the next one of its direction, or after 1 s", Everywhere, true, nothing, reorder},
		{"bandwidth", "10k", "writes the message at that many bytes a second", Everywhere, true, someBytes, bandwidth},
		{"slice", "16", "writes the message in pieces of that many bytes, 2 ms apart (default 16)", Everywhere, true, size(16), slice},
		{"merge", "", "writes the message together with the next one of its direction, or after 1 s", Everywhere, true, nothing, merge},
		{"truncate", "40", "forwards only the first bytes of the message (default half of it)", Everywhere, false, size(0), truncate},
		{"limit-data", "64k", "ends the direction after that many bytes, within a message if need be", Everywhere, false, someBytes, limitData},
		{"half-close", "", "forwards the message, and then ends its direction as if its sender had closed it", Everywhere, false, nothing, halfClose},
		{"reset", "", "ends both directions in place of the message", Everywhere, false, nothing, reset},
		{"wrong-id", "", "gives a response an id that no request has", Everywhere, false, nothing, wrongID},
		{"result-to-error", "out of tea", "makes a result an error with the code -32603 and that message", Everywhere, false, text("injected by wiretea"), resultToError},
		{"corrupt", "", "changes one letter, digit or truth value of the content; its JSON and its types stay valid", Everywhere, false, nothing, corrupt},
		{"drop-tool", "echo", "leaves a tool out of tools/list", Everywhere, false, tool, dropTool},
		{"junk-line", "debug: hi", "puts a line that is not JSON before the message", Everywhere, false, text("debug: injected by wiretea"), junkLine},
		{"oversize", "11M", "makes the message that long, by white space in it (default 11M)", Everywhere, false, size(11 << 20), oversize},
		{"bad-utf8", "", "puts a byte that is not UTF-8 into the last string of the message", Everywhere, false, nothing, badUTF8},
		{"slow-start", "3s", "forwards nothing to the server in that time after the client's first message", Everywhere, true, duration, slowStart},
		{"kill", "", "forwards the message, and kills the server's process", Stdio, false, nothing, kill},
		{"stop", "5s", "forwards the message, and stops the server's process for that time (default 5s)", Stdio, false, perhaps, stop},
		{"status", "503", "answers with that HTTP status: a request is not forwarded, a response is replaced (default 503)", HTTP, false, status(503), answerStatus},
		{"retry-after", "5s", "answers with 429 and Retry-After in seconds (default 1s)", HTTP, false, perhaps, retryAfter},
		{"challenge", "401", "answers with 401 or 403 and WWW-Authenticate (default 401)", HTTP, false, status(401, 401, 403), challenge},
		{"expire-session", "", "answers with 404, and to all that names the same MCP session", HTTP, false, nothing, expireSession},
		{"close", "", "closes the connection in the middle of the message", HTTP, false, nothing, closeWithin},
		{"buffer", "", "keeps the message and what follows in its stream until the stream ends", HTTP, false, nothing, buffer},
		{"strip-header", "Mcp-Session-Id", "removes a header field of the message's request or response", HTTP, false, field, setHeader},
		{"set-header", "Content-Type: text/html", "sets a header field of the message's request or response", HTTP, false, fieldValue, setHeader},
	}
}}

func names() []string {
	var all []string
	for _, k := range Kinds() {
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

// someBytes reads a size that must be there.
func someBytes(argument string) (value, error) {
	if argument == "" {
		return value{}, errors.New("name the number of bytes, such as 40, 64k or 11M")
	}
	return size(0)(argument)
}

// perhaps reads a time that may be absent.
func perhaps(argument string) (value, error) {
	if argument == "" {
		return value{}, nil
	}
	return duration(argument)
}

// status reads a status, one of those that are named where any are.
func status(usual int, among ...int) func(string) (value, error) {
	return func(argument string) (value, error) {
		if argument == "" {
			return value{size: usual}, nil
		}
		n, err := strconv.Atoi(argument)
		switch {
		case len(among) > 0 && !slices.Contains(among, n):
			return value{}, fmt.Errorf("%q is not %s", argument, strings.Trim(strings.ReplaceAll(fmt.Sprint(among), " ", " or "), "[]"))
		case err != nil || n < 200 || n > 599:
			return value{}, fmt.Errorf("%q is not an HTTP status from 200 to 599", argument)
		}
		return value{size: n}, nil
	}
}

// field reads the name of a header field.
func field(argument string) (value, error) {
	if !httpToken(argument) {
		return value{}, fmt.Errorf("%q is not the name of a header field, such as Mcp-Session-Id", argument)
	}
	return value{name: argument}, nil
}

// fieldValue reads a header field with its value.
func fieldValue(argument string) (value, error) {
	name, text, _ := strings.Cut(argument, ":")
	text = strings.TrimSpace(text)
	if !httpToken(name) || text == "" || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return value{}, fmt.Errorf("%q is not a header field, such as Content-Type: text/html", argument)
	}
	return value{name: name, text: text}, nil
}

// httpToken reports whether a text is a token of HTTP: RFC 9110 §5.6.2.
func httpToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
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

func tool(argument string) (value, error) {
	if argument == "" {
		return value{}, errors.New("name the tool: drop-tool(echo)")
	}
	return value{text: argument}, nil
}
