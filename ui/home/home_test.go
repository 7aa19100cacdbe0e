package home

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiretea/recorder/inventory"
	"wiretea/session/cells"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

// TestMain keeps times where goldens expect them.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	m.Run()
}

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A stock is what a test says that there is.
type stock struct {
	mu      sync.Mutex
	inv     *inventory.Inventory
	judged  []string
	deleted []string
	command func(inventory.Server) (inventory.Command, error)
	plan    func(inventory.Server, bool) (inventory.Change, error)
	applied int
}

func (s *stock) Look(context.Context) (*inventory.Inventory, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inv, false
}

func (s *stock) Judge(_ context.Context, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged = append(s.judged, path)
	return nil
}

func (s *stock) Delete(_ context.Context, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleted = append(s.deleted, path)
	return nil
}

func (s *stock) Command(_ context.Context, server inventory.Server) (inventory.Command, error) {
	return s.command(server)
}
func (s *stock) Plan(_ context.Context, server inventory.Server, wrap bool) (inventory.Change, error) {
	return s.plan(server, wrap)
}

// full is an inventory with something of everything.
func full() *inventory.Inventory {
	inv := &inventory.Inventory{Folder: "/home/ann/.local/state/wiretea/sessions", Project: "~/shop", Bytes: 4_123_000}
	inv.Live = []inventory.Session{{
		Path: "/s/live", Name: "20261120-115700-filesystem-4711", Server: "filesystem", Client: "claude-desktop", PID: 4722,
		Command: "npx -y @modelcontextprotocol/server-filesystem /home/ann/Documents", Start: now.Add(-3*time.Minute - 7*time.Second), Size: 1_200_000,
	}}
	inv.Servers = []inventory.Server{
		{ID: "a", Name: "filesystem", Client: "Claude Desktop", Type: "claude-desktop", Level: "user", File: "~/.config/Claude/claude_desktop_config.json",
			Command: "npx -y @modelcontextprotocol/server-filesystem /home/ann/Documents", Wrapped: true},
		{ID: "b", Name: "everything", Client: "Cursor", Type: "cursor", Level: "user", File: "~/.cursor/mcp.json", Command: "npx -y @modelcontextprotocol/server-everything"},
		{ID: "c", Name: "shop", Client: "Claude Code", Type: "claude-code", Level: "project", File: "~/shop/.mcp.json", Command: "node server.js"},
		{ID: "d", Name: "evil", Client: "VS Code", Type: "vscode", Level: "project", File: "~/shop/.vscode/mcp.json", Command: "npx nice-server",
			Trouble: "refused: its entry sets NODE_OPTIONS, which puts code into every Node.js program. A project's file may be a stranger's"},
		{ID: "e", Name: "remote", Client: "Cursor", Type: "cursor", Level: "user", File: "~/.cursor/mcp.json", URL: "https://example.com/mcp"},
	}
	for i, s := range []inventory.Session{
		{Server: "filesystem", Client: "claude-ai", Length: 102 * time.Second, Size: 1_200_000, Judged: true, Errors: 2, Warnings: 1, Frames: 1204},
		{Server: "everything", Client: "wiretea", Length: 41 * time.Millisecond, Size: 4_100, Judged: true, Frames: 9},
		{Server: "shop", Client: "claude-code", Length: 3*time.Hour + 7*time.Minute, Size: 2_900_000, Broken: true, Judged: true, Warnings: 3},
		{Server: "old\x1b[31m", Length: 12 * time.Second, Size: 18_000},
		{Server: "20261102-090000-torn-17", Size: 12, Fault: "not a session file"},
	} {
		s.Path, s.Name, s.Command = fmt.Sprintf("/s/%d", i), fmt.Sprintf("recording-%d", i), "npx "+s.Server
		s.Start = now.Add(-[]time.Duration{time.Minute * 3, time.Hour * 5, time.Hour * 30, time.Hour * 24 * 6, time.Hour * 24 * 18}[i])
		inv.Recordings = append(inv.Recordings, s)
	}
	return inv
}

// thousand is an inventory with a thousand recordings.
func thousand() *inventory.Inventory {
	inv := full()
	inv.Recordings = nil
	for i := range 1000 {
		inv.Recordings = append(inv.Recordings, inventory.Session{
			Path: fmt.Sprintf("/s/%d", i), Name: fmt.Sprintf("recording-%d", i), Server: fmt.Sprintf("server-%d", i%17), Client: "claude-ai",
			Command: "npx -y some-server --flag", Start: now.Add(-time.Duration(i) * time.Hour), Length: time.Second, Size: 12_000, Judged: true, Errors: int64(i % 3),
		})
	}
	return inv
}

// begin returns a home that has looked at a stock.
func begin(t testing.TB, s *stock) *Home {
	t.Helper()
	h := New(Options{Finder: s, Editor: s, Theme: style.New("", true, true), Now: func() time.Time { return now }})
	t.Cleanup(h.Leave)
	h.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	run(t, h, h.Begin())
	return h
}

// run carries out a command and what follows from it, and returns what was asked
// for. Time does not pass meanwhile.
func run(t testing.TB, h *Home, cmd tea.Cmd) []Ask {
	t.Helper()
	var asks []Ask
	queue := []tea.Cmd{cmd}
	for n := 0; len(queue) > 0; n++ {
		if n > 10_000 {
			t.Fatal("home does not come to rest")
		}
		next := queue[0]
		queue = queue[1:]
		if next == nil {
			continue
		}
		switch msg := next().(type) {
		case nil:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case Ask:
			asks = append(asks, msg)
		default:
			queue = append(queue, h.Update(msg))
		}
	}
	return asks
}

// keyOf is the message of a key, or of a character that is typed.
func keyOf(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "space": tea.KeySpace,
		"backspace": tea.KeyBackspace, "pgdown": tea.KeyPgDown, "end": tea.KeyEnd}
	if name == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	r := []rune(name)[0]
	return tea.KeyPressMsg{Code: r, Text: name}
}

// press presses keys, draws after each as the program does, and returns what was
// asked for.
func press(t testing.TB, h *Home, w, height int, names ...string) []Ask {
	t.Helper()
	var asks []Ask
	for _, name := range names {
		asks = append(asks, run(t, h, h.Key(keyOf(name)))...)
		h.View(w, height)
	}
	return asks
}

// letters are the keys that type a text.
func letters(text string) []string { return strings.Split(text, "") }

// look draws home, checks its size, and returns it without styles.
func look(t testing.TB, h *Home, w, height int) string {
	t.Helper()
	text := h.View(w, height)
	lines := strings.Split(text, "\n")
	if len(lines) != height && w >= leastW && height >= leastH {
		t.Errorf("%d×%d: %d lines", w, height, len(lines))
	}
	for i, line := range lines {
		if n := cells.Width(line); n != w {
			t.Errorf("%d×%d: line %d has %d cells: %q", w, height, i, n, line)
		}
	}
	return ansi.Strip(text)
}

// longCommand is a command of a project's file that is long.
func longCommand(s inventory.Server) inventory.Command {
	c := inventory.Command{
		Server: s, Argv: []string{"node", "server.js"}, Env: []string{"KEY=secret"}, Cwd: "/home/ann/shop", Shown: []string{"node", "server.js", "a b", "", "it's"},
		Program: "/usr/bin/node", Sets: []string{"KEY"}, Reads: []string{"TOKEN"}, Foreign: s.Level == "project", Unknown: []string{"NODE_OPTIONS=--require ./x\x1b[2J.js", "CC=./cc"},
	}
	for i := range 60 {
		c.Shown = append(c.Shown, fmt.Sprintf("--option-%d=%s", i, strings.Repeat("x", i*3)))
	}
	return c
}

// TestView holds whole screens.
func TestView(t *testing.T) {
	diff := "--- f\n+++ f\n@@ -1,3 +1,3 @@\n {\n-  \"command\": \"npx\",\n+  \"command\": \"/usr/local/bin/wiretea\",\n }\n"
	for _, c := range []struct {
		name string
		inv  *inventory.Inventory
		w, h int
		keys []string
	}{
		{"empty-80x24", &inventory.Inventory{}, 80, 24, nil},
		{"empty-120x40", &inventory.Inventory{}, 120, 40, nil},
		{"empty-40x12", &inventory.Inventory{}, 40, 12, nil},
		{"servers-only", &inventory.Inventory{Servers: full().Servers}, 100, 30, nil},
		{"servers-only-short", &inventory.Inventory{Servers: full().Servers}, 100, 24, nil},
		{"servers-only-80x24", &inventory.Inventory{Servers: full().Servers}, 80, 24, nil},
		{"looking", nil, 80, 24, nil},
		{"full-80x24", full(), 80, 24, nil},
		{"full-120x40", full(), 120, 40, nil},
		{"full-200x60", full(), 200, 60, nil},
		{"full-40x12", full(), 40, 12, nil},
		{"full-60x20", full(), 60, 20, []string{"G"}},
		{"full-recording", full(), 120, 40, []string{"G", "k", "k"}},
		{"full-broken", full(), 120, 40, []string{"G"}},
		{"full-trouble", full(), 80, 24, []string{"j", "j", "j", "j"}},
		{"sorted", full(), 120, 40, []string{">", ">"}},
		{"filtered", full(), 80, 24, append([]string{"f"}, letters("filesys")...)},
		{"filtered-left", full(), 80, 24, append(append([]string{"/"}, letters("project shop")...), "enter")},
		{"filtered-none", full(), 80, 24, append([]string{"f"}, letters("nothing of it")...)},
		{"prompt", full(), 120, 40, []string{"f"}},
		{"thousand", thousand(), 80, 24, []string{"G"}},
		{"help", full(), 80, 24, []string{"?"}},
		{"help-searched", full(), 120, 40, []string{"?", "t", "e", "e"}},
		{"delete", full(), 120, 40, []string{"G", "d"}},
		{"command-project", full(), 80, 24, []string{"j", "j", "j", "enter"}},
		{"command-project-end", full(), 120, 60, []string{"j", "j", "j", "enter", "G"}},
		{"command-user", full(), 80, 24, []string{"j", "j", "enter"}},
		{"url", full(), 80, 24, []string{"j", "j", "j", "j", "j", "enter"}},
		{"refused", full(), 80, 24, []string{"j", "j", "j", "j", "enter"}},
		{"wrap", full(), 80, 24, []string{"j", "j", "W"}},
		{"why-not", full(), 80, 24, []string{"W"}},
		{"fault", &inventory.Inventory{Fault: "~/.cursor/mcp.json cannot be read: line 3, column 9: a comma is missing"}, 100, 20, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &stock{inv: c.inv}
			s.command = func(server inventory.Server) (inventory.Command, error) {
				switch {
				case server.Trouble != "":
					return inventory.Command{}, errors.New(server.Trouble + "; if you want it, set NODE_OPTIONS yourself: wiretea run --env NAME=VALUE -- CMD")
				case server.Level == "project":
					return longCommand(server), nil
				case server.URL != "":
					return inventory.Command{Server: server, Shown: []string{server.URL}, Header: http.Header{}, Sets: []string{"Authorization", "X-Team"}, Reads: []string{"TOKEN"}}, nil
				}
				return inventory.Command{Server: server, Shown: []string{"npx", "-y", "@modelcontextprotocol/server-everything"}, Cwd: "/home/ann/shop", Notes: []string{"a note"}}, nil
			}
			s.plan = func(server inventory.Server, wrap bool) (inventory.Change, error) {
				return inventory.Change{Title: "wrap everything in Cursor?", Diff: diff, Notes: []string{"Then: restart Cursor."}}, nil
			}
			h := begin(t, s)
			look(t, h, c.w, c.h)
			press(t, h, c.w, c.h, c.keys...)
			panetest.Golden(t, c.name, look(t, h, c.w, c.h))
		})
	}
}

// TestSizes holds that home keeps to every size.
func TestSizes(t *testing.T) {
	for _, inv := range []*inventory.Inventory{{}, full(), thousand()} {
		s := &stock{inv: inv, command: func(s inventory.Server) (inventory.Command, error) { return longCommand(s), nil }}
		for _, keys := range [][]string{nil, {"G"}, {"j", "j", "j", "enter"}, {"?"}, {"f", "x"}} {
			h := begin(t, s)
			h.View(80, 24)
			press(t, h, 80, 24, keys...)
			for _, w := range []int{1, 19, 20, 21, 39, 40, 52, 66, 80, 120, 200} {
				for _, height := range []int{1, 5, 6, 7, 9, 12, 18, 24, 33, 60} {
					look(t, h, w, height)
				}
			}
		}
	}
}
