package home

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// at moves the cursor to the row of a kind that has a text.
func at(t *testing.T, h *Home, k kind, text string) {
	t.Helper()
	for i, n := range h.shown {
		if r := &h.rows[n]; r.kind == k && strings.Contains(r.words, text) {
			h.move(i - h.at)
			h.View(80, 24)
			return
		}
	}
	t.Fatalf("no row with %q", text)
}

// TestDelete holds that a recording is deleted after a yes, and nothing else is.
func TestDelete(t *testing.T) {
	s := &stock{inv: full()}
	h := begin(t, s)
	for _, k := range []struct {
		kind kind
		text string
	}{{live, "filesystem"}, {server, "shop"}, {demo, "demo"}} {
		at(t, h, k.kind, k.text)
		press(t, h, 80, 24, "d", "y")
	}
	at(t, h, recording, "recording-1")
	press(t, h, 80, 24, "d", "n", "d", "esc", "d", "enter")
	if len(s.deleted) > 0 {
		t.Fatalf("deleted %q", s.deleted)
	}
	press(t, h, 80, 24, "d", "y")
	if !slices.Equal(s.deleted, []string{"/s/1"}) || !strings.Contains(look(t, h, 80, 24), "deleted recording-1") {
		t.Errorf("deleted %q:\n%s", s.deleted, look(t, h, 80, 24))
	}
}

// TestChange holds that a file is written after its diff was agreed to.
func TestChange(t *testing.T) {
	s := &stock{inv: full()}
	var wraps []string
	s.plan = func(server inventory.Server, wrap bool) (inventory.Change, error) {
		wraps = append(wraps, fmt.Sprint(server.Name, " ", wrap))
		if server.Name == "shop" {
			return inventory.Change{}, errors.New("the file is read-only")
		}
		return inventory.Change{Title: "?", Diff: "+line\n", Apply: func(context.Context) (string, error) { s.applied++; return "wrapped it", nil }}, nil
	}
	h := begin(t, s)
	at(t, h, server, "shop")
	press(t, h, 80, 24, "W")
	if text := look(t, h, 80, 24); !strings.Contains(text, "the file is read-only") || !strings.Contains(text, "nothing is changed") {
		t.Errorf("a refusal is not shown:\n%s", text)
	}
	press(t, h, 80, 24, "enter")
	at(t, h, server, "everything")
	press(t, h, 80, 24, "W", "esc", "W", "n", "U")
	at(t, h, server, "filesystem")
	press(t, h, 80, 24, "W")
	if s.applied != 0 {
		t.Fatal("it was applied without a yes")
	}
	press(t, h, 80, 24, "U", "enter")
	if s.applied != 1 || !strings.Contains(look(t, h, 80, 24), "wrapped it") {
		t.Errorf("applied %d times", s.applied)
	}
	if want := []string{"shop true", "everything true", "everything true", "filesystem false"}; !slices.Equal(wraps, want) {
		t.Errorf("planned %q, want %q", wraps, want)
	}
}

// TestFilter holds how rows are found, and that esc gives all of them back.
func TestFilter(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	all := len(h.shown)
	for text, want := range map[string]int{"shop": 3, "SHOP": 3, "wrapped": 1, "recording": 5, "cursor everything": 1, "live": 1, "error": 1, "broken": 1, "2026-11-20": 3, "zzz": 0, "  ": all} {
		press(t, h, 80, 24, append([]string{"f"}, letters(text)...)...)
		if len(h.shown) != want {
			t.Errorf("%q shows %d rows, want %d", text, len(h.shown), want)
		}
		press(t, h, 80, 24, "esc")
		if len(h.shown) != all || h.prompt != nil {
			t.Fatalf("after %q and esc %d rows are shown", text, len(h.shown))
		}
	}
	press(t, h, 80, 24, "/", "s", "h", "o", "p", "down", "down", "enter")
	if asks := press(t, h, 80, 24, "enter"); fmt.Sprint(asks) != "[{/s/2}]" {
		t.Errorf("the third hit opens %v", asks)
	}
	if asks := press(t, h, 80, 24, "esc"); len(asks) > 0 || len(h.shown) != all {
		t.Errorf("esc asks for %v, %d rows", asks, len(h.shown))
	}
	run(t, h, h.openPrompt())
	run(t, h, h.Paste("curs\nor every"))
	if len(h.shown) != 1 {
		t.Errorf("a paste shows %d rows", len(h.shown))
	}
}

// TestKeysOfSessions holds that a key of sessions says that it is one, and other keys
// nothing.
func TestKeysOfSessions(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	for key, want := range map[string]string{"c": "c works in a session (", "T": "T works in a session (", "t": "t works in a session (", "F": "F works in a session ("} {
		press(t, h, 80, 24, key)
		if !strings.HasPrefix(h.notice.text, want) || !strings.HasSuffix(h.notice.text, "; enter opens one") {
			t.Errorf("%s says %q", key, h.notice.text)
		}
	}
	h.notice = notice{}
	if press(t, h, 80, 24, "ctrl+]"); h.notice.text != "" {
		t.Errorf("a key of nothing says %q", h.notice.text)
	}
}

// TestKeysOfHabit holds that s sorts and that : opens what can be searched and done here.
func TestKeysOfHabit(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	press(t, h, 80, 24, "s")
	if h.order != 1 || h.orderWords() != "most errors first" {
		t.Errorf("s: %s", h.orderWords())
	}
	press(t, h, 80, 24, ":")
	if h.help == nil {
		t.Fatal(": opens nothing")
	}
	press(t, h, 80, 24, "r", "e", "v", "e", "r", "s", "e", "enter")
	if h.help != nil || h.orderWords() != "fewest errors first" {
		t.Errorf("reverse: %s", h.orderWords())
	}
}

// TestTake holds that the cursor stays with its row when others come and go.
func TestTake(t *testing.T) {
	s := &stock{inv: full()}
	h := begin(t, s)
	at(t, h, recording, "recording-1")
	more := full()
	more.Live = append([]inventory.Session{{Path: "/s/new", Name: "new", Server: "new", Start: now}}, more.Live...)
	more.Recordings = more.Recordings[1:]
	s.inv = more
	run(t, h, h.Refresh())
	if r := h.selected(); r == nil || r.key() != "/s/1" {
		t.Errorf("the cursor is at %+v", r)
	}
	more = full()
	more.Recordings = nil
	s.inv = more
	run(t, h, h.Refresh())
	if h.selected() == nil {
		t.Error("the cursor is nowhere")
	}
	// A cursor that nobody has moved stays at the first row.
	s.inv = &inventory.Inventory{}
	h = begin(t, s)
	s.inv = full()
	run(t, h, h.Refresh())
	if h.at != 0 {
		t.Errorf("the cursor is at row %d", h.at)
	}
}

// TestJudge holds that recordings of which little is known are judged when they
// are seen, once each, and others are not.
func TestJudge(t *testing.T) {
	inv := thousand()
	for i := range inv.Recordings {
		inv.Recordings[i].Judged = false
	}
	s := &stock{inv: inv}
	h := begin(t, s)
	h.View(80, 24)
	run(t, h, h.Refresh())
	seen := len(s.judged)
	if seen == 0 || seen > 24 {
		t.Fatalf("%d were judged", seen)
	}
	run(t, h, h.Refresh())
	if len(s.judged) != seen {
		t.Errorf("%d were judged again", len(s.judged)-seen)
	}
	press(t, h, 80, 24, "G")
	run(t, h, h.Refresh())
	if n := len(s.judged); n <= seen || n > 2*24 || s.judged[n-1] != "/s/999" {
		t.Errorf("%d were judged, the last %q", n, s.judged[n-1])
	}
}

// TestAnswersOfBefore holds that what comes after home was left changes nothing,
// and that looking goes on when it is shown again.
func TestAnswersOfBefore(t *testing.T) {
	s := &stock{inv: full()}
	h := begin(t, s)
	waits := 0
	var again []tea.Msg // again are the messages that are waited for.
	h.after = func(_ time.Duration, msg tea.Msg) tea.Cmd { waits++; again = append(again, msg); return nil }
	old := h.look()
	h.Leave()
	s.inv = &inventory.Inventory{}
	run(t, h, old)
	if len(h.inv.Live) != 1 || waits != 0 || h.Refresh() != nil {
		t.Errorf("an answer of before was taken: %+v, %d waits", h.inv, waits)
	}
	run(t, h, h.Begin())
	if len(h.inv.Live) != 0 || waits != 1 {
		t.Errorf("home does not look again: %d waits", waits)
	}
	// However many looks there were, one wait goes on.
	for range 3 {
		run(t, h, h.Refresh())
	}
	if cmd := h.Update(again[len(again)-2]); cmd != nil {
		t.Error("a wait of before looks again")
	}
	if cmd := h.Update(again[len(again)-1]); cmd == nil {
		t.Error("the latest wait does not")
	}
}

// TestMouse holds what clicks and the wheel do.
func TestMouse(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	screen := strings.Split(look(t, h, 120, 40), "\n")
	y := slices.IndexFunc(screen, func(line string) bool { return strings.Contains(line, "npx everything") })
	click := tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft}
	if asks := run(t, h, h.Mouse(click)); len(asks) > 0 || h.selected().key() != "/s/1" {
		t.Fatalf("a click is at %v, and asks for %v", h.selected(), asks)
	}
	if asks := run(t, h, h.Mouse(click)); fmt.Sprint(asks) != "[{/s/1}]" {
		t.Errorf("a double click asks for %v", asks)
	}
	for _, y := range []int{0, 1, 2, 39, 38, 200} {
		run(t, h, h.Mouse(tea.MouseClickMsg{X: 10, Y: y, Button: tea.MouseLeft}))
		if h.selected().key() != "/s/1" {
			t.Errorf("a click on line %d moves the cursor", y)
		}
	}
	run(t, h, h.Mouse(tea.MouseWheelMsg{Button: tea.MouseWheelUp}))
	if h.selected().kind != server {
		t.Errorf("the wheel moves to %+v", h.selected())
	}
}

// TestHelp holds that the help carries out what is chosen, and lists no key that
// home does not have.
func TestHelp(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	h.openHelp()
	for _, e := range h.help.Entries {
		for k := range (keys.Map{}).All() {
			if k.Words() != e.Keys || !k.In(keys.Home) {
				continue
			}
			for _, key := range k.Keys {
				if a, ok := (keys.Map{}).Lookup(key, keys.Home); !ok || !does(a) {
					t.Errorf("the help lists %s, which does %q", key, a)
				}
			}
		}
	}
	h.help = nil
	press(t, h, 80, 24, "?", "d", "e", "m", "o", "enter")
	if h.help != nil {
		t.Error("enter leaves the help open")
	}
	press(t, h, 80, 24, append(append([]string{"?"}, letters("last line")...), "enter")...)
	if h.at != len(h.shown)-1 {
		t.Errorf("the cursor is at row %d", h.at)
	}
	press(t, h, 80, 24, "?", "x", "backspace", "down", "up", "pgdown", "esc")
	if h.help != nil {
		t.Error("esc leaves the help open")
	}
}

// TestHostile holds that nothing of a file reaches the terminal as it is.
func TestHostile(t *testing.T) {
	const evil = "\x1b[2J\x07\u202e\u009b31m\xff"
	inv := &inventory.Inventory{
		Live:       []inventory.Session{{Path: evil, Name: evil, Server: evil, Client: evil, Command: evil}},
		Servers:    []inventory.Server{{ID: "x", Name: evil, Client: evil, Level: evil, File: evil, Command: evil, Trouble: evil}, {ID: "y", Name: evil, URL: evil}},
		Recordings: []inventory.Session{{Path: "/1", Name: evil, Server: evil, Fault: evil, Folder: evil}},
		Fault:      evil, Project: evil,
	}
	s := &stock{inv: inv}
	s.command = func(s inventory.Server) (inventory.Command, error) {
		return inventory.Command{Server: s, Shown: []string{evil}, Program: evil, Cwd: evil, Sets: []string{evil}, Notes: []string{evil}, Foreign: true}, nil
	}
	s.plan = func(inventory.Server, bool) (inventory.Change, error) {
		return inventory.Change{Title: evil, Diff: "+" + evil + "\n", Notes: []string{evil}}, nil
	}
	h := begin(t, s)
	clean := func(what string) {
		for _, bad := range []string{"\x1b[2J", "\x07", "\u202e", "\u009b", "\xff"} {
			if strings.Contains(h.View(120, 40), bad) {
				t.Errorf("%s lets %q through", what, bad)
			}
		}
	}
	for i := range h.shown {
		h.at, h.moved = i, true
		clean(fmt.Sprintf("row %d", i))
	}
	h.at = 1
	press(t, h, 120, 40, "enter")
	clean("the command")
	press(t, h, 120, 40, "esc", "W")
	clean("the change")
	press(t, h, 120, 40, "esc")
	run(t, h, h.Say(session.Error, evil))
	clean("a notice")
	h.at = len(h.shown) - 1
	press(t, h, 120, 40, "d")
	clean("the question")
}

// BenchmarkThousand measures what a key, a new inventory, a filter and a drawing
// cost with a thousand recordings.
func BenchmarkThousand(b *testing.B) {
	inv := thousand()
	h := New(Options{Theme: style.New("", true, false), Now: func() time.Time { return now }})
	h.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	h.take(inv)
	h.high = 50
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			h.View(200, 60)
		}
	})
	b.Run("take", func(b *testing.B) {
		for b.Loop() {
			h.take(inv)
		}
	})
	b.Run("filter", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			h.filter = ""
			h.setFilter([]string{"server-3", "zzz", "claude server-16"}[i%3])
		}
	})
	h.setFilter("")
	b.Run("key", func(b *testing.B) {
		for b.Loop() {
			h.Key(keyOf("j"))
		}
	})
}

// TestState holds how an entry is said to stand in its file.
func TestState(t *testing.T) {
	for _, c := range []struct {
		server inventory.Server
		want   string
	}{
		{inventory.Server{Command: "x"}, "direct"},
		{inventory.Server{Command: "x", Wrapped: true}, "wrapped"},
		{inventory.Server{Command: "x", Wrapped: true, Off: true}, "wrapped"},
		{inventory.Server{Command: "x", Off: true}, "off"},
		{inventory.Server{URL: "https://example.com"}, "url"},
		{inventory.Server{Trouble: "it has no command"}, "–"},
	} {
		if got := c.server.State(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.server, got, c.want)
		}
	}
}
