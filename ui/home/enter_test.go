package home

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder/inventory"
	"wiretea/session/text"
)

// TestEnter holds what is asked for.
func TestEnter(t *testing.T) {
	s := &stock{inv: full(), command: func(s inventory.Server) (inventory.Command, error) {
		return inventory.Command{Server: s, Shown: []string{"x"}}, nil
	}}
	h := begin(t, s)
	for _, c := range []struct {
		kind kind
		text string
		keys []string
		want Ask
	}{
		{live, "filesystem", []string{"enter"}, Attach{"/s/live"}},
		{recording, "recording-1", []string{"enter"}, Open{"/s/1"}},
		{recording, "torn", []string{"enter"}, nil},
		{recording, "recording-1", []string{"A"}, nil}, // Its client process is not known.
		{demo, "demo", []string{"enter"}, Demo{}},
		{server, "everything", []string{"enter"}, nil},
		{server, "everything", []string{"enter", "esc", "enter", "q", "enter", "n"}, nil},
		{server, "remote", []string{"enter", "esc"}, nil},
		{demo, "demo", []string{"q"}, Quit{}},
		{demo, "demo", []string{"esc"}, nil},
		{demo, "demo", []string{"ctrl+c"}, Quit{}},
		{server, "shop", []string{"enter", "ctrl+c"}, Quit{}},
	} {
		h.sheet = nil
		at(t, h, c.kind, c.text)
		asks := press(t, h, 80, 24, c.keys...)
		if c.want == nil && len(asks) == 0 || len(asks) == 1 && fmt.Sprint(asks[0]) == fmt.Sprint(c.want) {
			continue
		}
		t.Errorf("%s, %q: asked for %v, want %v", c.text, c.keys, asks, c.want)
	}
}

// TestLaunch holds that a command that is typed is split as a shell does, and asked for to be
// started, and that the next n begins with it.
func TestLaunch(t *testing.T) {
	h := begin(t, &stock{inv: full()})
	for _, c := range []struct {
		line string
		want []string
	}{
		{`npx -y "a b" 'c'`, []string{"npx", "-y", "a b", "c"}},
		{"-- ./server --stdio", []string{"./server", "--stdio"}},
		{"https://example.com/mcp", []string{"https://example.com/mcp"}},
		{"https://example.com/mcp x", nil},
		{`"open`, nil},
		{"  ", nil},
	} {
		press(t, h, 120, 40, "n")
		h.launch.SetValue("")
		h.Paste(c.line)
		if view := ansi.Strip(h.View(120, 40)); !strings.Contains(view, "run ") {
			t.Errorf("%q is not shown:\n%s", c.line, view)
		}
		asks := press(t, h, 120, 40, "enter")
		press(t, h, 120, 40, "esc")
		if c.want == nil {
			if len(asks) > 0 {
				t.Errorf("%q asks for %v", c.line, asks)
			}
			continue
		}
		run, is := asks[0].(Run)
		if len(asks) != 1 || !is || !slices.Equal(run.Command.Argv, c.want) || (run.Command.Header != nil) != strings.HasPrefix(c.want[0], "https:") {
			t.Errorf("%q asks for %v", c.line, asks)
		}
		press(t, h, 120, 40, "n")
		if h.launch.Value() != c.line {
			t.Errorf("n begins with %q, want %q", h.launch.Value(), c.line)
		}
		if asks := press(t, h, 120, 40, "q", "esc"); len(asks) > 0 || h.launch != nil {
			t.Errorf("typing asks for %v", asks)
		}
	}
}

// TestCompareRecordings holds that two recordings are compared, the older one first: two that
// are marked, or a marked one and the selected one.
func TestCompareRecordings(t *testing.T) {
	s := &stock{inv: full()}
	h := begin(t, s)
	var compared []string
	h.opt.Compare = func(_ context.Context, a, b string) ([]string, error) {
		compared = append(compared, a, b)
		return []string{"7 differences \x1b[2J"}, nil
	}
	older, newer := &h.inv.Recordings[1], &h.inv.Recordings[0]
	if older.Start.After(newer.Start) {
		older, newer = newer, older
	}
	at(t, h, demo, "demo")
	press(t, h, 120, 40, "m", "=")
	if len(h.marked) != 0 || compared != nil {
		t.Fatalf("marked %v, compared %v", h.marked, compared)
	}
	goTo := func(path string) {
		for i, n := range h.shown {
			if r := &h.rows[n]; r.kind == recording && r.session.Path == path {
				h.move(i - h.at)
			}
		}
	}
	goTo(newer.Path)
	press(t, h, 120, 40, "m")
	goTo(older.Path)
	press(t, h, 120, 40, "=")
	if !slices.Equal(compared, []string{older.Path, newer.Path}) {
		t.Errorf("compared %v", compared)
	}
	if view := ansi.Strip(h.View(120, 40)); !strings.Contains(view, "7 differences ␛[2J") {
		t.Errorf("the differences are not shown:\n%s", view)
	}
	press(t, h, 120, 40, "esc", "m")
	if !slices.Equal(h.marked, []string{newer.Path, older.Path}) || !strings.Contains(ansi.Strip(h.View(120, 40)), "◆") {
		t.Errorf("marked %v", h.marked)
	}
	if press(t, h, 120, 40, "m"); !slices.Equal(h.marked, []string{newer.Path}) {
		t.Errorf("marked %v", h.marked)
	}
}

// TestOpenClient holds that the sessions of one client process are opened as one, each as what
// it is, and that the details of a session say so.
func TestOpenClient(t *testing.T) {
	inv := full()
	inv.Live[0].Parent, inv.Live[0].Mode = 4000, "tee"
	inv.Recordings = append(inv.Recordings, inventory.Session{Path: "/s/mail", Name: "mail-1", Server: "mail", Parent: 4000, Mode: "tee", Start: inv.Live[0].Start.Add(time.Second), Length: time.Second})
	h := begin(t, &stock{inv: inv})
	for _, of := range []struct {
		kind kind
		text string
	}{{live, "filesystem"}, {recording, "mail-1"}} {
		at(t, h, of.kind, of.text)
		asks := press(t, h, 80, 24, "A")
		if want := (Client{[]Ask{Attach{"/s/live"}, Open{"/s/mail"}}}); len(asks) != 1 || fmt.Sprint(asks[0]) != fmt.Sprint(want) {
			t.Errorf("%s: asked for %v, want %v", of.text, asks, want)
		}
		if view := ansi.Strip(h.View(120, 40)); !strings.Contains(view, "process 4000 with 2 sessions: filesystem, mail · A opens them as one") {
			t.Errorf("the details do not say it:\n%s", view)
		}
	}
}

// TestCommand holds that a server is started only after the end of its command
// was shown, and that what was shown is started.
func TestCommand(t *testing.T) {
	s := &stock{inv: full(), command: func(s inventory.Server) (inventory.Command, error) { return longCommand(s), nil }}
	h := begin(t, s)
	at(t, h, server, "shop")
	if asks := press(t, h, 80, 24, "enter"); len(asks) != 0 || h.sheet == nil {
		t.Fatalf("enter asked for %v", asks)
	}
	pages, shown := 0, look(t, h, 80, 24)
	for ; !h.sheet.read; pages++ {
		if pages == 40 {
			t.Fatal("the end does not come")
		}
		key, before := []string{"enter", "space"}[pages%2], look(t, h, 80, 24)
		if asks := press(t, h, 80, 24, key); len(asks) != 0 {
			t.Fatalf("it is started on page %d", pages)
		}
		after := look(t, h, 80, 24)
		if after == before {
			t.Fatalf("%s does not go on from page %d", key, pages)
		}
		shown += after
	}
	for _, word := range longCommand(inventory.Server{}).Shown {
		if len(word) < 50 && !strings.Contains(shown, text.ShellWord(word)) {
			t.Errorf("%q was not shown", word)
		}
	}
	if strings.Contains(shown, "secret") || pages < 3 {
		t.Errorf("a value was shown, or %d pages were enough", pages)
	}
	// In another width lines break elsewhere: it has to be read again.
	look(t, h, 50, 12)
	if h.sheet.read {
		t.Error("after the size has changed it counts as read")
	}
	press(t, h, 50, 12, "G")
	asks := press(t, h, 50, 12, "enter")
	if run, ok := any(first(asks)).(Run); !ok || !slices.Equal(run.Command.Argv, []string{"node", "server.js"}) || h.sheet != nil {
		t.Errorf("asked for %v", asks)
	}
}

func first(asks []Ask) Ask {
	if len(asks) == 0 {
		return nil
	}
	return asks[0]
}

// TestUnread holds that an enter which comes before anything was drawn starts
// nothing.
func TestUnread(t *testing.T) {
	s := &stock{inv: full(), command: func(s inventory.Server) (inventory.Command, error) {
		return inventory.Command{Server: s, Shown: []string{"x"}}, nil
	}}
	h := begin(t, s)
	at(t, h, server, "everything")
	for range 5 {
		if asks := run(t, h, h.Key(keyOf("enter"))); len(asks) > 0 {
			t.Fatalf("asked for %v", asks)
		}
	}
	h.View(80, 24)
	if asks := run(t, h, h.Key(keyOf("enter"))); len(asks) != 1 {
		t.Errorf("asked for %v", asks)
	}
}

// TestURLIsNoCommand holds that the details of a session over HTTP call the URL a URL.
func TestURLIsNoCommand(t *testing.T) {
	for command, want := range map[string]string{"https://example.com/mcp": "url", "node server.js": "command"} {
		inv := full()
		inv.Recordings = []inventory.Session{{Path: "/s/remote", Name: "remote-1", Server: "remote", Command: command, Length: time.Second}}
		h := begin(t, &stock{inv: inv})
		at(t, h, recording, "remote")
		if view := ansi.Strip(h.View(120, 40)); !regexp.MustCompile(`│  ` + want + ` +` + regexp.QuoteMeta(command)).MatchString(view) {
			t.Errorf("%s is not called %s:\n%s", command, want, view)
		}
	}
}
