package fault

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A Kind is a kind of fault.
type Kind struct {
	Name     string
	Argument string // Argument is an example of its argument; empty where it takes none.
	Help     string // Help says what it does, in one line.

	read  func(argument string) (value, error)
	apply func(m *decide.Message, v value, random *rand.Rand) (decide.Decision, bool)
}

// A value is the argument of a fault.
type value struct {
	time time.Duration
	size int
	text string
}

// limits of arguments.
const (
	longestDelay = time.Hour
	largest      = 256 << 20
)

// Kinds returns the kinds of faults.
var Kinds = sync.OnceValue(func() []Kind {
	return []Kind{
		{"delay", "2s", "forwards the message that much later; others pass meanwhile", duration, delay},
		{"jitter", "200ms", "like delay, by a random time up to that", duration, jitter},
		{"drop", "", "does not forward the message, and tells nobody", nothing, drop},
		{"duplicate", "", "forwards the message twice", nothing, duplicate},
		{"truncate", "40", "forwards only the first bytes of the message (default half of it)", size(0), truncate},
		{"wrong-id", "", "gives a response an id that no request has", nothing, wrongID},
		{"result-to-error", "out of tea", "makes a result an error with the code -32603 and that message", text("injected by wiretea"), resultToError},
		{"drop-tool", "echo", "leaves a tool out of tools/list", name, dropTool},
		{"junk-line", "debug: hi", "puts a line that is no JSON before the message", text("debug: injected by wiretea"), junkLine},
		{"oversize", "11M", "makes the message that long, by white space in it (default 11M)", size(11 << 20), oversize},
		{"bad-utf8", "", "puts a byte that is not UTF-8 into the last string of the message", nothing, badUTF8},
	}
})

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
		if argument == "" {
			argument = usual
		}
		return value{text: argument}, nil
	}
}

func name(argument string) (value, error) {
	if argument == "" {
		return value{}, errors.New("name the tool: drop-tool(echo)")
	}
	return value{text: argument}, nil
}

func delay(m *decide.Message, v value, _ *rand.Rand) (decide.Decision, bool) {
	return decide.Decision{Text: m.Body, Delay: v.time}, true
}

func jitter(m *decide.Message, v value, random *rand.Rand) (decide.Decision, bool) {
	return decide.Decision{Text: m.Body, Delay: time.Duration(random.Int64N(int64(v.time) + 1))}, true
}

func drop(*decide.Message, value, *rand.Rand) (decide.Decision, bool) {
	return decide.Decision{}, true
}

func duplicate(m *decide.Message, _ value, _ *rand.Rand) (decide.Decision, bool) {
	return decide.Decision{Text: m.Body, More: [][]byte{m.Body}}, true
}

func truncate(m *decide.Message, v value, _ *rand.Rand) (decide.Decision, bool) {
	if v.size == 0 {
		v.size = len(m.Body) / 2
	}
	return decide.Decision{Text: m.Body[:min(v.size, len(m.Body))]}, v.size < len(m.Body)
}

// answers reports whether a message is a response.
func answers(m *decide.Message) bool {
	return m.Kind == session.RowResult || m.Kind == session.RowError
}

func wrongID(m *decide.Message, _ value, random *rand.Rand) (decide.Decision, bool) {
	text, ok := replaced(m.Body, "id", fmt.Appendf(nil, `"wiretea-no-such-id-%d"`, random.Uint32()))
	return decide.Decision{Text: text}, ok && answers(m)
}

func resultToError(m *decide.Message, v value, _ *rand.Rand) (decide.Decision, bool) {
	if m.Kind != session.RowResult {
		return decide.Decision{}, false
	}
	line := append(append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...), `,"error":{"code":`...)
	line = strconv.AppendInt(line, mcp.InternalError, 10)
	return decide.Decision{Text: append(lex.AppendQuote(append(line, `,"message":`...), v.text), "}}"...)}, true
}

func dropTool(m *decide.Message, v value, _ *rand.Rand) (decide.Decision, bool) {
	if m.Method != mcp.ToolsList || m.Result == nil {
		return decide.Decision{}, false
	}
	var kept [][]byte
	dropped := false
	for _, tool := range lex.Items(lex.Get(m.Result, "tools")) {
		if lex.Unquote(lex.Get(tool, "name")) == v.text {
			dropped = true
			continue
		}
		kept = append(kept, tool)
	}
	result, ok := replaced(m.Result, "tools", append(append([]byte{'['}, bytes.Join(kept, []byte{','})...), ']'))
	if !ok || !dropped {
		return decide.Decision{}, false
	}
	text, ok := replaced(m.Body, "result", result)
	return decide.Decision{Text: text}, ok
}

// replaced returns an object with another value for a member; the rest stays as it is.
func replaced(object []byte, member string, with []byte) ([]byte, bool) {
	members, _ := lex.List(object)
	for _, at := range members {
		if at.Name == member {
			text := append([]byte(nil), object[:at.At]...)
			return append(append(text, with...), object[at.At+len(at.Value):]...), true
		}
	}
	return nil, false
}

func junkLine(m *decide.Message, v value, _ *rand.Rand) (decide.Decision, bool) {
	return decide.Decision{Text: []byte(v.text), More: [][]byte{m.Body}}, true
}

func oversize(m *decide.Message, v value, _ *rand.Rand) (decide.Decision, bool) {
	end := bytes.LastIndexByte(m.Body, '}')
	if end < 0 || v.size <= len(m.Body) {
		return decide.Decision{}, false
	}
	text := append(make([]byte, 0, v.size), m.Body[:end]...)
	text = append(text, bytes.Repeat([]byte{' '}, v.size-len(m.Body))...)
	return decide.Decision{Text: append(text, m.Body[end:]...)}, true
}

func badUTF8(m *decide.Message, _ value, _ *rand.Rand) (decide.Decision, bool) {
	at := bytes.LastIndexByte(m.Body, '"')
	if at < 0 {
		return decide.Decision{}, false
	}
	return decide.Decision{Text: append(append(append([]byte(nil), m.Body[:at]...), 0xff), m.Body[at:]...)}, true
}
