//go:build unix

package cli

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
	"wiretea/ui/termtest"
)

// A dwelling is a home folder with what a test puts into it.
type dwelling struct {
	t             *testing.T
	home, project string
	temp          string // temp is for temporary files.
}

func newDwelling(t *testing.T) *dwelling {
	t.Helper()
	dir := t.TempDir()
	// What other programs of the user could not record is noted among the temporary files. The
	// name is short, because sockets are there too.
	temp, err := os.MkdirTemp("", "wt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	d := &dwelling{t: t, home: dir, project: filepath.Join(dir, "shop"), temp: temp}
	for _, folder := range []string{d.project, d.sessions(), filepath.Dir(d.desktop()), filepath.Join(dir, ".config", "wiretea")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, ".config", "wiretea", "config.toml"), "notice = \"1m\"\n")
	return d
}

func (d *dwelling) sessions() string {
	return filepath.Join(d.home, ".local", "state", "wiretea", "sessions")
}

// desktop is the file of Claude Desktop.
func (d *dwelling) desktop() string {
	return filepath.Join(d.home, ".config", "Claude", "claude_desktop_config.json")
}

// env is the environment of somebody who lives here.
func (d *dwelling) env() []string {
	return []string{"HOME=" + d.home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=" + filepath.Join(d.home, ".cache"), "TMPDIR=" + d.temp}
}

// enter starts wiretea without a command.
func (d *dwelling) enter(more ...string) *termtest.Pty {
	d.t.Helper()
	p := onScreen(d.t, append(d.env(), more...), "wiretea", "--project", d.project)
	see(d.t, p, "⌂ home")
	return p
}

// linuxOnly skips a test whose client's file lies elsewhere on other systems.
func linuxOnly(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("Claude Desktop keeps its file elsewhere here")
	}
}

// Footers are the last lines to be drawn: whoever has seen one has the whole
// frame. An escape is never sent before another key: read together the two are
// that key with alt.

// unseen waits until a text is not shown any more.
func unseen(t *testing.T, p *termtest.Pty, text string) {
	t.Helper()
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool { return !strings.Contains(term.String(), text) }); err != nil {
		t.Fatal(err)
	}
}

// shows returns what is on the screen.
func shows(p *termtest.Pty) (text string) {
	p.Look(func(term *termtest.Terminal) { text = term.String() })
	return text
}

// TestHomeVisits goes from home to the demo, back, to a recording, and back, and
// leaves.
func TestHomeVisits(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	record(t, d.sessions(), "20261120-100000-healthy-1")
	p := d.enter()
	see(t, p, "wiretea demo")
	see(t, p, "✔") // it was judged
	pressAll(t, p, "g", "enter")
	see(t, p, "● live")
	pid := serverPid(t, p)
	pressAll(t, p, "q")
	see(t, p, "go home?")
	pressAll(t, p, "y")
	see(t, p, "⌂ home")
	wantGone(t, pid)
	pressAll(t, p, "G", "enter")
	see(t, p, "■ recording")
	see(t, p, "tools/list")
	p.Look(func(term *termtest.Terminal) {
		if !term.AltScreen() {
			t.Error("the alternate screen was left")
		}
	})
	pressAll(t, p, "q")
	see(t, p, "⌂ home")
	pressAll(t, p, "q")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
}

// TestHomeDelete deletes a recording, after a yes.
func TestHomeDelete(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	path := record(t, d.sessions(), "20261120-100000-healthy-1")
	p := d.enter()
	see(t, p, "Recordings")
	pressAll(t, p, "G", "d")
	see(t, p, "y deletes 20261120-100000-healthy-1")
	pressAll(t, p, "n", "d")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	pressAll(t, p, "y")
	see(t, p, "deleted 20261120-100000-healthy-1")
	see(t, p, "Three ways in")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	pressAll(t, p, "q")
	left(t, p)
}

// TestHomeProject holds that a server of a project's file is started by an enter
// on its command alone, that loaders' variables keep it from being started, and
// that a wrapped server is run without its tee.
func TestHomeProject(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	mark := filepath.Join(d.home, "started")
	writeFile(t, filepath.Join(d.project, ".mcp.json"), `{"mcpServers":{
		"shop": {"command": "/somewhere/wiretea", "args": ["tee", "--name", "shop", "--", "sh", "-c", "echo \"$GREETING\" >>`+mark+`; exec wiretea demo --server healthy"], "env": {"GREETING": "from the file"}},
		"evil": {"command": "sh", "args": ["-c", "echo evil >>`+mark+`"], "env": {"BASH_ENV": "./x"}},
		"asks": {"command": "sh", "args": ["-c", "echo asks >>`+mark+`", "${NOT_SET_ANYWHERE}"]}}}`)
	notStarted := func() {
		t.Helper()
		if text, err := os.ReadFile(mark); err == nil {
			t.Fatalf("it was started: %q", text)
		}
	}
	p := d.enter()
	see(t, p, "asks")
	pressAll(t, p, "g", "j", "enter")
	see(t, p, "Check these values of the file")
	see(t, p, "BASH_ENV=./x")
	pressAll(t, p, "n")
	see(t, p, "? help")
	pressAll(t, p, "j", "enter")
	see(t, p, "NOT_SET_ANYWHERE is not set")
	see(t, p, "enter closes")
	pressAll(t, p, "n")
	see(t, p, "? help")
	pressAll(t, p, "g", "enter")
	see(t, p, "is part of the project in this folder")
	see(t, p, "started; exec wiretea demo")
	see(t, p, "GREETING=from the file")
	if text := shows(p); strings.Contains(text, "tee") {
		t.Errorf("the screen shows:\n%s", text)
	}
	pressAll(t, p, "n")
	see(t, p, "? help")
	notStarted()
	pressAll(t, p, "enter")
	see(t, p, "enter starts it")
	notStarted()
	pressAll(t, p, "enter")
	see(t, p, "● live")
	see(t, p, "server/discover")
	if text, err := os.ReadFile(mark); err != nil || string(text) != "from the file\n" {
		t.Errorf("it was started with %q, %v", text, err)
	}
	pid := serverPid(t, p)
	pressAll(t, p, "q")
	see(t, p, "The session is recorded.")
	pressAll(t, p, "y")
	see(t, p, "recorded as ")
	wantGone(t, pid)
	list, err := recorder.List(d.sessions())
	if err != nil || len(list) != 1 || recorder.ShortName(list[0].Header) != "shop" || list[0].Header.Cwd != d.project || list[0].Header.Cmd[0] != "sh" {
		t.Errorf("recorded is %+v, %v", list, err)
	}
	pressAll(t, p, "q")
	left(t, p)
}

// TestHomeURL connects to a server at a URL with the header fields of its entry, whose
// values are neither shown nor recorded.
func TestHomeURL(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	base, _ := demoAt(t, "healthy", func(next http.Handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer from-the-file" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		}))
	})
	writeFile(t, filepath.Join(d.project, ".mcp.json"), `{"mcpServers":{"shop": {"type": "http", "url": "`+base+`/mcp", "headers": {"Authorization": "Bearer from-the-file"}}}}`)
	p := d.enter()
	see(t, p, "shop")
	pressAll(t, p, "g", "enter")
	see(t, p, "Authorization")
	see(t, p, "enter connects")
	if text := shows(p); strings.Contains(text, "from-the-file") {
		t.Errorf("the screen shows:\n%s", text)
	}
	pressAll(t, p, "enter")
	see(t, p, "● live")
	see(t, p, "server/discover")
	pressAll(t, p, "Z")
	see(t, p, "200")
	pressAll(t, p, "q")
	see(t, p, "The session is recorded.")
	pressAll(t, p, "y")
	see(t, p, "recorded as ")
	pressAll(t, p, "q")
	left(t, p)
	list, err := recorder.List(d.sessions())
	if err != nil || len(list) != 1 {
		t.Fatalf("recorded is %+v, %v", list, err)
	}
	if text, err := os.ReadFile(list[0].Path); err != nil || strings.Contains(string(text), "from-the-file") || !strings.Contains(string(text), `"status":200`) {
		t.Errorf("%v, the recording is\n%s", err, text)
	}
}

// TestHomeWrap wraps a server of a client's file and unwraps it again.
func TestHomeWrap(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	d := newDwelling(t)
	const before = "{\n\t\"theme\": \"dark\",  \r\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\",\n      \"args\": [ \"-y\",\"server\" ], \"env\": {\"K\": \"secret\"} }\n  }\n}"
	writeFile(t, d.desktop(), before)
	file := func() string {
		t.Helper()
		text, err := os.ReadFile(d.desktop())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	p := d.enter()
	see(t, p, "direct")
	pressAll(t, p, "g", "W")
	see(t, p, "wrap files in Claude Desktop?")
	see(t, p, `"tee"`)
	if text := shows(p); strings.Contains(text, "secret") {
		t.Errorf("the screen gives a secret away:\n%s", text)
	}
	pressAll(t, p, "n")
	see(t, p, "? help")
	if file() != before {
		t.Fatal("the file was changed without a yes")
	}
	pressAll(t, p, "W")
	see(t, p, "enter writes the file")
	pressAll(t, p, "enter")
	see(t, p, "wrapped files · next: quit Claude Desktop")
	see(t, p, "◉ files")
	if text := file(); text == before || !strings.Contains(text, `"tee"`) {
		t.Errorf("the file is\n%s", text)
	}
	pressAll(t, p, "U")
	see(t, p, "unwrap files in Claude Desktop?")
	pressAll(t, p, "enter")
	see(t, p, "unwrapped files")
	see(t, p, "○ files")
	if file() != before {
		t.Errorf("the file is\n%q, was\n%q", file(), before)
	}
	pressAll(t, p, "q")
	left(t, p)
}

// TestHomeAttach holds that a live session appears by itself, is opened and left
// without harm, and becomes a recording when it ends.
func TestHomeAttach(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	p := d.enter()
	see(t, p, "Three ways in")
	watched := startWatched(t, d.sessions(), "watched")
	see(t, p, "● watched")
	see(t, p, "1 live")
	pressAll(t, p, "g", "enter")
	see(t, p, "notifications/n1")
	watched.ping(2)
	see(t, p, "notifications/n2")
	pressAll(t, p, "q")
	see(t, p, "the session goes on")
	watched.ping(3)
	if got := watched.talk([]byte{}); got.code != 0 {
		t.Errorf("%+v", got)
	}
	see(t, p, "■ watched")
	unseen(t, p, "Live now")
	pressAll(t, p, "q")
	left(t, p)
}

// TestHomeSignals holds that whoever ends the program ends the server that was
// started from home, and finishes its record.
func TestHomeSignals(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"signal", "ctrl-c", "closed terminal"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			d := newDwelling(t)
			writeFile(t, filepath.Join(d.project, ".mcp.json"), `{"mcpServers":{"it":{"command":"wiretea","args":["demo","--server","healthy"]}}}`)
			p := d.enter()
			see(t, p, "○ it")
			pressAll(t, p, "g", "enter")
			see(t, p, "enter starts it")
			pressAll(t, p, "enter")
			see(t, p, "● live")
			pid := serverPid(t, p)
			switch how {
			case "signal":
				if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				left(t, p)
			case "ctrl-c":
				pressAll(t, p, "ctrl+c")
				see(t, p, "End the server and leave?")
				pressAll(t, p, "y")
				if code := left(t, p); code != term.ExitFine {
					t.Errorf("exit code %d", code)
				}
				if text := shows(p); !strings.Contains(text, "server exited with code 0") || !strings.Contains(text, "recorded: ") {
					t.Errorf("nothing says how it ended:\n%s", text)
				}
			default:
				p.Tty.Close()
				if err := p.Wait(patience); errors.Is(err, termtest.ErrPtyLate) {
					t.Error("the program goes on without a terminal")
				}
			}
			wantGone(t, pid)
			list, err := recorder.List(d.sessions())
			if err != nil || len(list) != 1 || list[0].Live == recorder.Live || list[0].End == nil {
				t.Errorf("the record is %+v, %v", list, err)
			}
		})
	}
}

// TestHomeNone holds what is printed where there is no screen.
func TestHomeNone(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	run := func() string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "wiretea", "--project", d.project)
		cmd.Env = append(os.Environ(), d.env()...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if text := run(); !strings.HasPrefix(text, "three ways in\n") || !strings.Contains(text, "  wiretea demo\n") {
		t.Errorf("in an empty home:\n%s", text)
	}
	record(t, d.sessions(), "20261120-100000-healthy-1")
	writeFile(t, filepath.Join(d.project, ".mcp.json"), `{"mcpServers":{"evil":{"command":"npx","args":["x\u001b[2Jy"],"env":{"LD_PRELOAD":"./x.so"}},"far":{"url":"https://example.com"}}}`)
	text := run()
	for _, part := range []string{"⚠  evil", "x\\033[2Jy", "url", "https://example.com", "20261120-100000-healthy-1", "1 recording", "three ways in"} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in\n%s", part, text)
		}
	}
	p := onScreen(t, append(d.env(), "TERM=dumb"), "wiretea", "--project", d.project)
	if code := left(t, p); code != term.ExitFine || !strings.Contains(shows(p), "three ways in") {
		t.Errorf("a dumb terminal shows, with exit code %d:\n%s", code, shows(p))
	}
}

// TestHomeThousand holds that a thousand recordings are shown and filtered.
func TestHomeThousand(t *testing.T) {
	t.Parallel()
	d := newDwelling(t)
	copies(t, d.sessions(), record(t, t.TempDir(), "one"), 1000)
	p := d.enter()
	see(t, p, "1,000 recordings")
	pressAll(t, p, "f")
	if err := p.Typed("copy-777"); err != nil {
		t.Fatal(err)
	}
	see(t, p, "1 of 1,001")
	pressAll(t, p, "enter", "enter")
	see(t, p, "■ recording")
	see(t, p, "tools/list")
	pressAll(t, p, "q")
	see(t, p, "filter copy-777")
	see(t, p, "? help")
	pressAll(t, p, "ctrl+t")
	see(t, p, "1,000 recordings") // the filter is off
	pressAll(t, p, "g")
	see(t, p, "wiretea demo")
	pressAll(t, p, "q")
	left(t, p)
}
