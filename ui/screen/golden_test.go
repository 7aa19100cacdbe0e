package screen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// A state is a screen worth a look: how to come to it, and what it then shows.
type state struct {
	name  string
	size  [2]int
	open  func(t *testing.T) source.Source
	keys  []string
	typed string   // typed goes after the keys.
	then  []string // then are keys after that.
	shows string   // shows is when it is there.
}

func recording(t *testing.T) source.Source { return sourceOf(over(talk(t)), "old.mcpcap.jsonl") }
func running(t *testing.T) source.Source   { return serverOf(talk(t), "node server.js") }
func overHTTP(t *testing.T) source.Source {
	return serverOf(panetest.Trips(t), "http://localhost:3001/mcp")
}
func nothing(t *testing.T) source.Source { return serverOf(panetest.New(t), "node server.js") }

func watched(t *testing.T) source.Source { return attachedTo(talk(t), "node server.js").Source() }

// injecting is a session into which something was sent that has no answer yet.
func injecting(t *testing.T) source.Source {
	s := talk(t)
	s.Injected(4100, `{"jsonrpc":"2.0","id":"wiretea-3f2a-1","method":"tools/list"}`)
	s.Taken(4112, `{"jsonrpc":"2.0","id":"wiretea-3f2a-1","result":{"tools":[]}}`)
	s.Injected(4200, `{"jsonrpc":"2.0","id":"wiretea-3f2a-2","method":"tools/call","params":{"name":"pour"}}`)
	s.Taken(4210, `{"jsonrpc":"2.0","id":"wiretea-3f2a-2","error":{"code":-32602,"message":"Unknown tool: pour"}}`)
	s.Injected(4300, `{"jsonrpc":"2.0","id":"wiretea-3f2a-3","method":"tools/call","params":{"name":"echo","arguments":{"message":"from wiretea"}}}`)
	return attachedTo(s, "node server.js").Source()
}

func refusing(t *testing.T) source.Source {
	a := attachedTo(talk(t), "node server.js")
	a.who.Refused = "its tee was started with --no-control"
	return a.Source()
}

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}, {160, 45}}

func states() []state {
	list := []state{
		{name: "too-small", size: [2]int{19, 5}, open: recording, shows: "too small"},
		{name: "smallest", size: [2]int{20, 5}, open: recording, shows: "traffic"},
		{name: "before-anything", size: sizes[1], open: nothing, shows: "traffic"},
		{name: "zoom-findings", size: sizes[1], open: recording, keys: []string{"!", "\\"}, shows: "stdout-not-json"},
		{name: "zoom-stderr", size: sizes[0], open: recording, keys: []string{"S"}, shows: "listening on stdio"},
		{name: "below", size: sizes[1], open: recording, keys: []string{"|"}, shows: "traffic"},
		{name: "without-detail", size: sizes[1], open: recording, keys: []string{"|", "|"}, shows: "traffic"},
		{name: "statistics", size: sizes[1], open: recording, keys: []string{"s"}, shows: "latency of"},
		{name: "tools", size: sizes[1], open: recording, keys: []string{"T"}, shows: "echo"},
		{name: "process", size: sizes[1], open: recording, keys: []string{"P"}, shows: "4711"},
		{name: "detail-of-an-error", size: sizes[1], open: recording, keys: []string{"g"}, typed: ":12", then: []string{"enter", "enter"}, shows: "Unknown tool"},
		{name: "detail-of-a-call", size: sizes[0], open: recording, typed: ":8", then: []string{"enter", "enter", "\\"}, shows: "hello there"},
		{name: "filter-empty", size: sizes[0], open: recording, keys: []string{"f"}, shows: "m:tools/call t:echo"},
		{name: "filter-wrong", size: sizes[0], open: recording, keys: []string{"f"}, typed: "is:nonsense", shows: "✖ "},
		{name: "filter-right", size: sizes[0], open: recording, keys: []string{"f"}, typed: "m:tools/call -t:brew", shows: "✔"},
		{name: "filtered", size: sizes[0], open: recording, keys: []string{"f"}, typed: "m:tools/call", then: []string{"enter"}, shows: "6 of "},
		{name: "search", size: sizes[0], open: recording, keys: []string{"g", "/"}, typed: "kettle", then: []string{"enter"}, shows: "kettle"},
		{name: "completion", size: sizes[0], open: recording, keys: []string{":"}, typed: "explain stdout-n", then: []string{"tab"}, shows: "explain stdout-not-json"},
		{name: "command-empty", size: sizes[0], open: recording, keys: []string{":"}, shows: "tab completes"},
		{name: "command-begun", size: sizes[0], open: recording, keys: []string{":"}, typed: "s", shows: "save-filter"},
		{name: "command-known", size: sizes[0], open: recording, keys: []string{":"}, typed: "sort la", shows: "reverse"},
		{name: "command-wrong", size: sizes[0], open: recording, typed: ":nonsense", then: []string{"enter"}, shows: "unknown command"},
		{name: "help", size: sizes[0], open: recording, keys: []string{"?"}, shows: "type to search"},
		{name: "help-filter", size: sizes[0], open: recording, keys: []string{"?", "right"}, shows: "is:error"},
		{name: "help-filter-120x40", size: [2]int{120, 40}, open: recording, keys: []string{"?", "right"}, shows: "states and kinds"},
		{name: "help-signs-120x40", size: [2]int{120, 40}, open: recording, keys: []string{"?", "left"}, shows: "from the server to the client"},
		{name: "help-200x60", size: [2]int{200, 60}, open: recording, keys: []string{"?"}, shows: "type to search"},
		{name: "help-nothing", size: sizes[0], open: recording, keys: []string{"?"}, typed: "qqqq", shows: "nothing matches"},
		{name: "export-list", size: sizes[0], open: recording, keys: []string{"x"}, shows: "one self-contained page"},
		{name: "help-searched", size: sizes[0], open: recording, keys: []string{"?"}, typed: "zoom", shows: "the focused pane over"},
		{name: "help-narrow", size: [2]int{44, 24}, open: recording, keys: []string{"?"}, typed: "restart", shows: "wiretea started"},
		{name: "help-signs", size: sizes[0], open: recording, keys: []string{"?"}, typed: "injected", shows: "sent to the server by"},
		{name: "asks-where-there-is-no-room", size: [2]int{30, 8}, open: watched, typed: ":end", then: []string{"enter"}, shows: "n esc"},
		{name: "taken-out", size: sizes[1], open: injecting, typed: ":18", then: []string{"enter", "enter"}, shows: "the client did not get this"},
		{name: "explain", size: sizes[1], open: recording, typed: ":explain stdout-not-json", then: []string{"enter"}, shows: "stdout-not-json"},
		{name: "chord", size: sizes[0], open: recording, keys: []string{"y"}, shows: "command line"},
		{name: "chord-in-detail", size: sizes[0], open: recording, keys: []string{"enter", "y"}, shows: "command line"},
		{name: "chord-http", size: sizes[0], open: overHTTP, keys: []string{"y"}, shows: "curl"},
		{name: "quit-asks", size: sizes[0], open: running, keys: []string{"ctrl+c"}, shows: "leave?"},
		{name: "paused", size: sizes[0], open: running, keys: []string{"p"}, shows: "paused"},
	}
	for _, size := range [][2]int{{40, 24}, {80, 24}, {120, 40}} {
		name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size[0], size[1]) }
		list = append(list,
			state{name: name("asks-to-send"), size: size, open: watched, typed: `:send tools/call {"name":"echo","arguments":{"message":"hello"}}`, then: []string{"enter"}, shows: "n esc"},
			state{name: name("asks-to-cancel"), size: size, open: watched, keys: []string{"ctrl+x"}, shows: "n esc"},
			state{name: name("asks-to-end"), size: size, open: watched, typed: ":end", then: []string{"enter"}, shows: "n esc"},
			state{name: name("not-transparent"), size: size, open: injecting, shows: "NOT TRANSPARENT"},
			state{name: name("control-refused"), size: size, open: refusing, keys: []string{"P"}, shows: "⚠ none"})
	}
	for _, size := range sizes {
		list = append(list,
			state{name: fmt.Sprintf("recording-%dx%d", size[0], size[1]), size: size, open: recording, shows: "traffic"},
			state{name: fmt.Sprintf("running-%dx%d", size[0], size[1]), size: size, open: running, shows: "traffic"},
			state{name: fmt.Sprintf("timeline-%dx%d", size[0], size[1]), size: size, open: recording, keys: []string{"g", "t"}, shows: "→ initialize"},
			state{name: fmt.Sprintf("statistics-%dx%d", size[0], size[1]), size: size, open: recording, keys: []string{"s"}, shows: "latency of"},
			state{name: fmt.Sprintf("http-%dx%d", size[0], size[1]), size: size, open: overHTTP, keys: []string{"g"}, typed: ":12", then: []string{"enter"}, shows: "POST /mcp t4"},
			state{name: fmt.Sprintf("http-rows-%dx%d", size[0], size[1]), size: size, open: overHTTP, keys: []string{"Z"}, shows: "▾  POST"},
			state{name: fmt.Sprintf("http-sessions-%dx%d", size[0], size[1]), size: size, open: overHTTP, keys: []string{"P"}, shows: "round trips"})
	}
	return append(list, holdStates()...)
}

// reach brings a screen into the state.
func (st *state) reach(t *testing.T, opt termtest.SessionOptions, with screen.Options) *termtest.Session {
	with.Sources, with.Dark = []source.Source{st.open(t)}, !opt.Terminal.Light
	s := termtest.Run(t, screen.New(with), st.size[0], st.size[1], opt)
	first := "traffic"
	if st.size[0] < 20 {
		first = "too small"
	}
	s.WaitText(first)
	if strings.HasPrefix(st.name, "held") {
		s.WaitText("3 held") // What is held comes after the traffic.
	}
	s.Keys(st.keys...)
	s.Type(st.typed)
	s.Keys(st.then...)
	s.WaitText(st.shows)
	return s
}

// TestStates holds whole screens.
func TestStates(t *testing.T) {
	for _, st := range states() {
		t.Run(st.name, func(t *testing.T) {
			t.Parallel()
			s := st.reach(t, termtest.SessionOptions{}, screen.Options{})
			s.Golden(st.name)
			sane(t, s)
			s.Terminal(func(term *termtest.Terminal) { whole(t, term) })
		})
	}
}

// TestNoColour holds that without colours nothing has one, and that the cursor's
// line can be told nevertheless.
func TestNoColour(t *testing.T) {
	for _, st := range states() {
		t.Run(st.name, func(t *testing.T) {
			t.Parallel()
			s := st.reach(t, termtest.SessionOptions{Profile: colorprofile.ASCII, Env: []string{"NO_COLOR=1"}}, screen.Options{NoColour: true})
			s.Terminal(func(term *termtest.Terminal) {
				w, h := term.Size()
				marked := false
				for y := range h {
					for x := range w {
						_, style := term.Cell(x, y)
						if style.Fg != 0 || style.Bg != 0 {
							t.Fatalf("cell %d,%d is %v:\n%s", x, y, style, term)
						}
						marked = marked || style.Attrs&termtest.Reverse != 0 || style.Underline > 0
					}
				}
				if strings.HasPrefix(st.name, "recording") && !marked {
					t.Errorf("no line is marked:\n%s", term)
				}
			})
		})
	}
}
