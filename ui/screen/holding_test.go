package screen_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/intercept"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// A place is a place in the path of a scripted session: what it holds is written by hand, and
// what is decided is kept. The real one is in the tests of package cli.
type place struct {
	mu      sync.Mutex
	state   session.InterceptState
	texts   map[uint64]string
	decided []string // decided are the decisions, in words.
	changed chan struct{}
	closed  bool
}

func newPlace(t *testing.T) *place {
	p := &place{texts: map[uint64]string{}, changed: make(chan struct{}, 1)}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.closed {
			letGo(p.changed)
		}
	})
	return p
}

func (p *place) State() *session.InterceptState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.Held, s.Faults = slices.Clone(s.Held), slices.Clone(s.Faults)
	return &s
}

func (p *place) Changed() <-chan struct{} { return p.changed }

func (p *place) Text(_ context.Context, id uint64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text, ok := p.texts[id]; ok {
		return []byte(text), nil
	}
	return nil, session.ErrNotHeld
}

// change changes the state.
func (p *place) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	select {
	case p.changed <- struct{}{}:
	default: // One is enough.
	}
}

func (p *place) Decide(_ context.Context, ids []uint64, c session.Choice) error {
	p.change(func() {
		for _, id := range ids {
			p.decided = append(p.decided, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", id, c.Verb, c.Text, c.Reason)))
			p.state.Held = slices.DeleteFunc(p.state.Held, func(h session.Held) bool { return h.ID == id })
			p.state.Decided++
			p.state.Last = fmt.Sprintf("message %d: %s", id, c.Verb)
		}
	})
	return nil
}

func (p *place) Intercept(_ context.Context, i session.Interception) error {
	p.change(func() {
		p.state.Own, p.state.Places = i, []session.Interception{i}
		if i.Filter == "" {
			p.state.Places, p.state.Held = nil, nil
		}
	})
	return nil
}

func (p *place) SetFaults(_ context.Context, specs []string) error {
	p.change(func() { p.state.Faults = specs })
	return nil
}

func (p *place) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		close(p.changed)
	}
	return nil
}

// words are the decisions so far.
func (p *place) words() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.decided, "; ")
}

// A heldSource is a session with a place in its path.
type heldSource struct {
	*server
	place *place
}

func (s *heldSource) Intercept(context.Context, string) (session.Intercept, error) {
	return s.place, nil
}

// holdingOf is a session in which messages are held; ages are how long each is, in seconds.
func holdingOf(t *testing.T) *heldSource {
	written := talk(t)
	s := &heldSource{serverOf(written, "node server.js"), newPlace(t)}
	now := s.Now()
	t0 := written.Header().T0.Add(time.Duration(now))
	hold := func(h session.Held, age, limit time.Duration, text string) {
		h.ID, h.Conn, h.Size, h.Since = uint64(len(s.place.state.Held)+1), 1, len(text), t0.Add(-age)
		h.Timeout = h.Since.Add(time.Minute)
		if limit > 0 {
			h.Deadline = h.Since.Add(limit)
		}
		s.place.state.Held = append(s.place.state.Held, h)
		s.place.texts[h.ID] = text
	}
	hold(session.Held{Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", Target: "delete_file", MessageID: "7", By: "policy: no-delete", Ask: true, Rule: "no-delete", Reason: "it deletes files", Deny: true}, 50*time.Second, 60*time.Second,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"delete_file","arguments":{"path":"/etc/hosts"}}}`)
	hold(session.Held{Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", Target: "echo", MessageID: "8", By: "hold: m:tools/call"}, 30*time.Second, 48*time.Second,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
	hold(session.Held{Stream: session.S2C, Kind: session.RowResult, Method: "tools/call", Target: "brew", MessageID: "4", By: "hold: m:tools/call"}, 2*time.Second, 0,
		`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"tea\u001b[31m"}]}}`)
	s.place.state.Own = session.Interception{Filter: "m:tools/call", By: "screen"}
	s.place.state.Places = []session.Interception{s.place.state.Own}
	s.place.changed <- struct{}{}
	return s
}

func holding(t *testing.T) source.Source { return holdingOf(t) }

// holdStates are the screens of held messages.
func holdStates() (list []state) {
	for _, size := range sizes {
		name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size[0], size[1]) }
		list = append(list,
			state{name: name("held"), size: size, open: holding, keys: []string{"B"}, shows: "no-delete asks"},
			state{name: name("held-drop"), size: size, open: holding, keys: []string{"B", "X"}, shows: "esc keeps it held"},
			state{name: name("held-edit"), size: size, open: holding, keys: []string{"B", "j", "e"}, shows: "ctrl-s keep"})
	}
	return append(list,
		state{name: "held-respond", size: sizes[1], open: holding, keys: []string{"B", "j", "r"}, shows: "as in #"},
		state{name: "held-no-room", size: [2]int{60, 12}, open: holding, shows: "3 held"},
		state{name: "in-the-path", size: sizes[0], open: holding, typed: ":fault", then: []string{"enter"}, shows: "3 now"},
		state{name: "intercept-wrong", size: sizes[0], open: holding, keys: []string{"i", "ctrl+u"}, typed: "lat>5s", shows: "is not known before"})
}

// TestHoldingGivesFocusBack holds that traffic has the focus, and its keys are in the footer, as
// soon as the last held message is gone, without a key.
func TestHoldingGivesFocusBack(t *testing.T) {
	s := show(t, 200, 60, screen.Options{}, holding(t))
	s.WaitText("‖ 3 held")
	s.Keys("B")
	s.WaitText("a release")
	s.Keys("A", "y")
	s.WaitFor(func(shown string) bool {
		return !strings.Contains(shown, "a release") && strings.Contains(shown, "F follow")
	})
}

// TestDropOnSmallScreen holds that the box which asks how a message is dropped fits on a screen that
// became small, and is no reason to crash on one that is smaller.
func TestDropOnSmallScreen(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, holding(t))
	s.WaitText("‖ 3 held")
	s.Keys("B", "X")
	s.WaitText("esc keeps it held")
	for _, size := range [][2]int{{50, 10}, {40, 6}, {20, 3}, {10, 1}, {50, 13}} {
		s.Resize(size[0], size[1])
	}
	s.WaitFor(func(shown string) bool {
		return strings.Count(shown, "\n") < 15 && strings.Contains(shown, "n drop it") && strings.Contains(shown, "esc keeps it held")
	})
}

// TestHolding holds what keys do to held messages.
func TestHolding(t *testing.T) {
	for _, c := range []struct {
		name  string
		keys  []string
		typed string
		then  []string
		want  string // want is what was decided.
		says  string // says is on the screen then.
	}{
		{name: "released", keys: []string{"a", "a"}, want: "1 release", says: "‖ 2 held"},
		{name: "all", keys: []string{"A", "y"}, want: "1 release; 2 release; 3 release", says: "following"},
		{name: "all but what the policy asks about", keys: []string{"A", "n"}, want: "2 release; 3 release", says: "‖ 1 held"},
		{name: "not all", keys: []string{"A", "esc"}, want: "", says: "‖ 3 held"},
		{name: "denied with the reason of the rule", keys: []string{"B", "X", "d", "ctrl+s"}, want: "1 deny  it deletes files", says: "‖ 2 held"},
		{name: "a tool error in words of one's own", keys: []string{"B", "j", "X", "t", "n", "o", "ctrl+s"}, want: "2 tool-error  no", says: "‖ 2 held"},
		{name: "a tool error", keys: []string{"B", "j", "X", "t", "ctrl+s"}, want: "2 tool-error  stopped by a person at wiretea", says: "‖ 2 held"},
		{name: "dropped", keys: []string{"B", "j", "X", "n"}, want: "2 drop", says: "‖ 2 held"},
		{name: "kept", keys: []string{"B", "X", "esc"}, want: "", says: "‖ 3 held"},
		{name: "edited in a form", keys: []string{"B", "j", "e"}, typed: "oh ", then: []string{"ctrl+s", "a"},
			want: `2 release {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"message":"oh hi"}}}`, says: "‖ 2 held"},
		{name: "edited as bytes", keys: []string{"B", "j", "e", "ctrl+o", "ctrl+o"}, typed: "  ", then: []string{"ctrl+s", "a"},
			want: `2 release   {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`, says: "‖ 2 held"},
		{name: "edited and reverted", keys: []string{"B", "j", "e", "ctrl+o", "ctrl+o"}, typed: "x", then: []string{"ctrl+s", "V", "a"}, want: "2 release", says: "‖ 2 held"},
		{name: "not changed", keys: []string{"B", "j", "e", "ctrl+s", "a"}, want: "2 release", says: "‖ 2 held"},
		{name: "edited to no JSON", keys: []string{"B", "j", "e", "ctrl+o"}, typed: "XYZ", then: []string{"ctrl+s"}, want: "", says: "this is not JSON: correct it"},
		{name: "answered", keys: []string{"B", "j", "r"}, then: []string{"ctrl+s"},
			want: `2 respond {"content":[{"type":"text","text":"Echo: hello there"}]}`, says: "‖ 2 held"},
		{name: "off releases", keys: []string{"I"}, says: "intercept is off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := holdingOf(t)
			s := show(t, 120, 40, screen.Options{}, src)
			s.WaitText("‖ 3 held")
			s.WaitText(`"jsonrpc": "2.0"`)
			for _, key := range c.keys {
				s.Keys(key)
				switch key {
				case "e":
					s.WaitText("ctrl-s keep")
				case "r":
					s.WaitText(`"text": "Echo: hello there"`)
				case "X":
					s.WaitText("keeps it held")
				case "A":
					s.WaitText("A policy asks about 1 message of these")
				}
			}
			if c.typed != "" {
				s.Keys("home")
				s.Type(c.typed)
			}
			s.Keys(c.then...)
			s.WaitFor(func(shown string) bool {
				return strings.Contains(shown, c.says) && (c.want == "" || src.place.words() != "")
			})
			if got := src.place.words(); sorted(got) != sorted(c.want) {
				t.Errorf("decided %q, want %q", got, c.want)
			}
			sane(t, s)
		})
	}
}

// sorted sorts the decisions: those on all are made in no order.
func sorted(words string) string {
	parts := strings.Split(words, "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// TestHeldColumns holds that each width shows what a held message is about: other columns go
// first, then its method.
func TestHeldColumns(t *testing.T) {
	for _, c := range []struct {
		width  int
		target string
		want   string
		not    string
	}{
		{width: 200, want: "tools/call delete_file", not: "\x00"},
		{width: 120, want: "tools/call delete_file", not: "held 50 s"},
		{width: 80, want: "tools/call delete_file                      held 50 s", not: "112 B   held"},
		{width: 60, want: "tools/call delete_file", not: "held 50 s"},
		{width: 80, target: "github_create_or_update_pull_request_review", want: "→? github_create_or_update_pull_request_review ", not: "tools/call git"},
		{width: 80, target: strings.Repeat("long_", 20), want: "→? long_long_", not: "tools/call long"},
	} {
		src := holdingOf(t)
		if c.target != "" {
			src.place.state.Held[0].Target = c.target
		}
		s := show(t, c.width, 40, screen.Options{}, src)
		s.WaitText("‖ 3 held")
		s.WaitText("denied in 10 s")
		s.WaitText("112 B")
		if shown := s.Screen(); !strings.Contains(shown, c.want) || strings.Contains(shown, c.not) {
			t.Errorf("%d cells, %q: want %q and not %q in\n%s", c.width, c.target, c.want, c.not, shown)
		}
		s.Terminal(func(term *termtest.Terminal) { // All of the selected line is marked.
			y := slices.IndexFunc(strings.Split(term.String(), "\n"), func(line string) bool { return strings.Contains(line, "denied in 10 s") })
			_, marked := term.Cell(1, y)
			for _, x := range []int{8, 30, c.width/2 - 4} {
				if _, look := term.Cell(x, y); look.Bg != marked.Bg {
					t.Errorf("%d cells: column %d of the selected line is not marked", c.width, x)
				}
			}
		})
		sane(t, s)
	}
}

// TestHeaderDecided holds that what is still held is not counted as decided.
func TestHeaderDecided(t *testing.T) {
	written := talk(t)
	call := func(id int) {
		written.Decided(4000+float64(id), session.C2S, session.WayIn, "hold: m:tools/call", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`, id))
	}
	call(7)
	src := &heldSource{serverOf(written, "node server.js"), newPlace(t)}
	hold := func(id uint64) {
		src.place.change(func() {
			src.place.state.Held = append(src.place.state.Held, session.Held{ID: id, Conn: 1, Method: "tools/call", Target: "echo"})
		})
	}
	src.place.state.Places = []session.Interception{{Filter: "m:tools/call", By: "screen"}}
	hold(1)
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("‖ 1 held")
	if shown := s.Screen(); !strings.Contains(shown, "NOT TRANSPARENT: intercept  ‖ 1 held") {
		t.Errorf("held, and nothing decided:\n%s", shown)
	}
	s.Keys("B", "a")
	s.WaitText("NOT TRANSPARENT: intercept (1 decided)")
	call(8)
	hold(2)
	src.more()
	s.WaitText("NOT TRANSPARENT: intercept (1 decided)  ‖ 1 held")
}

// TestHeldRow holds that on the row of a held message the keys mean that message, in traffic and in
// the detail, and that the footer and the header show them.
func TestHeldRow(t *testing.T) {
	for _, c := range []struct {
		keys []string
		wait string // wait is on the screen after the first key.
		then []string
		want string
	}{
		{keys: []string{"a"}, want: "2 release"},
		{keys: []string{"enter", "a"}, want: "2 release"},
		{keys: []string{"e"}, wait: "ctrl-s keep", then: []string{"home", "o", "h", "ctrl+s", "a"}, want: `2 release {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"message":"ohhi"}}}`},
		{keys: []string{"X"}, wait: "keeps it held", then: []string{"n"}, want: "2 drop"},
		{keys: []string{"r"}, wait: `"text": "Echo: hello there"`, then: []string{"ctrl+s"}, want: `2 respond {"content":[{"type":"text","text":"Echo: hello there"}]}`},
		{keys: []string{"k", "e"}, wait: "ctrl-s send", then: []string{"esc"}}, // That row is not held.
	} {
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			t.Parallel()
			src := holdingOf(t)
			src.written.Decided(4000, session.C2S, session.WayIn, "hold: m:tools/call", src.place.texts[2])
			src.more()
			s := show(t, 120, 40, screen.Options{}, src)
			s.WaitText("‖ 3 held (a)")
			s.WaitText("a release  e edit  X drop  r respond")
			s.Keys(c.keys...)
			if c.wait != "" {
				s.WaitText(c.wait)
			}
			s.Keys(c.then...)
			s.WaitFor(func(string) bool { return c.want == "" || src.place.words() != "" })
			if got := src.place.words(); got != c.want {
				t.Errorf("decided %q, want %q", got, c.want)
			}
		})
	}
}

// TestHeldEditStays holds that no edit is lost when the time of its message is up: what was kept goes
// on in its place, and what is still being typed becomes a new call.
func TestHeldEditStays(t *testing.T) {
	src := holdingOf(t)
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("‖ 3 held")
	s.Keys("B", "j", "e")
	s.WaitText("ctrl-s keep")
	s.Keys("home")
	s.Type("oh ")
	src.place.change(func() { src.place.state.Held = slices.Delete(src.place.state.Held, 1, 2) })
	s.WaitText("what you typed stays here")
	s.Keys("ctrl+s")
	s.WaitText("ctrl-s send")
	s.WaitText("oh hi")
	if got := src.place.words(); got != "" {
		t.Errorf("decided %q", got)
	}

	src = holdingOf(t)
	s = show(t, 120, 40, screen.Options{}, src)
	s.WaitText("‖ 3 held")
	s.Keys("B", "j", "e")
	s.WaitText("ctrl-s keep")
	s.Keys("home", "o", "ctrl+s")
	s.WaitText("✎ edited")
	src.place.change(func() { src.place.state.Held[1].Deadline = src.place.state.Held[1].Since.Add(31 * time.Second) })
	s.WaitText("‖ 2 held")
	if got := src.place.words(); !strings.HasPrefix(got, "2 release {") || !strings.Contains(got, `"ohi"`) {
		t.Errorf("decided %q", got)
	}
}

// TestInterceptAsks holds that the filter of another session holds nothing before a person agrees.
func TestInterceptAsks(t *testing.T) {
	src := &heldSource{serverOf(talk(t), "node server.js"), newPlace(t)}
	var kept config.Settings
	kept.Remember(intercept.Prompt, "m:tools/call")
	s := show(t, 120, 40, screen.Options{Settings: kept}, src)
	s.WaitText("following")
	on := func() bool { return src.place.State().Own.Filter != "" }
	s.Keys("I")
	s.WaitText("hold messages of node server.js?")
	s.Keys("esc")
	waitGone(s, "hold messages of")
	if on() {
		t.Error("it holds without an answer")
	}
	s.Keys("I", "y")
	s.WaitText("messages that match m:tools/call are held")
	s.Keys("I")
	s.WaitText("intercept is off")
	s.Keys("I")
	s.WaitText("messages that match m:tools/call are held")
	if !on() {
		t.Error("the filter of this session is asked about")
	}
}

// An askingHeld is a session that holds a message while a question waits.
type askingHeld struct {
	*inquiring
	place *place
}

func (s askingHeld) Intercept(context.Context, string) (session.Intercept, error) {
	return s.place, nil
}

// TestHeaderHeldKey holds that the header names the key that leads to what is held.
func TestHeaderHeldKey(t *testing.T) {
	src := askingHeld{inquiringOf(t), newPlace(t)}
	src.place.state.Held = []session.Held{{ID: 1, Conn: 1, Method: "tools/call", Target: "echo"}}
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("‖ 1 held (a)")
	asked := src.pose(t, "roots/list", `{}`)
	s.WaitText("‖ 1 held (B)")
	asked.withdraw()
	s.WaitText("‖ 1 held (a)")
}

// TestHeaderBrokenPolicy holds that a policy whose file cannot be used is told of until it can.
func TestHeaderBrokenPolicy(t *testing.T) {
	written := talk(t)
	happens := func(ms float64, event, text string) {
		written.Path(ms, session.PathEvent{Event: event, What: "policy", Text: text})
	}
	happens(4001, "on", "p.toml: 2 rules")
	written.Path(4002, session.PathEvent{Event: "on", What: "faults", Text: "m:ping: drop"})
	happens(4003, session.PathBroken, "p.toml: line 13: wrong\x1b[31m")
	src := serverOf(written, "node server.js")
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("⚠ NOT TRANSPARENT: policy (file broken), faults  ●")
	s.Type(":fault\r")
	s.WaitText("✖ its file was changed and cannot be used: p.toml: line 13: wrong␛[31m")
	s.WaitText("policy     p.toml: 2 rules")
	s.Keys("esc")
	happens(4004, session.PathBroken, "p.toml: line 14: wrong")
	src.more()
	s.WaitText("policy (file broken), faults  ●")
	happens(4005, "changed", "p.toml: 3 rules")
	src.more()
	s.WaitText("⚠ NOT TRANSPARENT: faults, policy  ●")
	sane(t, s)
}

// TestHoldingLeaves holds that leaving says what is held, and closes the place.
func TestHoldingLeaves(t *testing.T) {
	src := holdingOf(t)
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("‖ 3 held")
	s.Keys("q")
	s.WaitText("2 held messages will be released as they came; 1 message stays held by")
	s.Keys("y")
	<-src.closing
	if src.place.mu.Lock(); !src.place.closed {
		t.Error("the place is open")
	}
	src.place.mu.Unlock()
}

// TestInterceptCommands holds :intercept, its names, and :fault.
func TestInterceptCommands(t *testing.T) {
	src := holdingOf(t)
	s := show(t, 120, 40, screen.Options{}, src)
	s.WaitText("‖ 3 held")
	for _, c := range []struct{ typed, says string }{
		{":intercept keep calls", ":intercept @calls holds m:tools/call"},
		{":intercept off", "intercept is off; 2 held messages released"},
		{":intercept @nobody", `no filter is kept as "@nobody"`},
		{":intercept @calls", "messages that match m:tools/call are held"},
		{":intercept lat>5s", "lat: is not known before a message is forwarded"},
		{":intercept forget calls", "calls is forgotten"},
		{":fault m:ping: drop", "fault in force: m:ping: drop"},
		{":fault off 2", `unknown fault "2"`},
		{":fault off 1", "fault off: m:ping: drop"},
		{":fault off", "faults are off"},
		{":hold 0", "hold 80 releases"},
		{":hold 50", "released after 50 %"},
	} {
		s.Type(c.typed + "\r")
		s.WaitText(c.says)
	}
	src.place.mu.Lock()
	defer src.place.mu.Unlock()
	if own := src.place.state.Own; own.Filter != "m:tools/call" {
		t.Errorf("held by %+v", own)
	}
}

// TestInterceptRefused holds that a recording, and a session that allows nothing, say why.
func TestInterceptRefused(t *testing.T) {
	s := show(t, 80, 24, screen.Options{}, recording(t))
	s.Keys("i")
	s.WaitText("this is a recording: nothing is on its way")
	s.Keys("a")
	s.WaitText("the server has asked nothing in this session")
}
