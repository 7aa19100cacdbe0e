//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
	"wiretea/ui/termtest"
)

// waitingServer answers requests, and tools/list only once a line comes out of the
// pipe that it is given.
const waitingServer = `read -r line
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tea","version":"1"}}}'
while read -r line; do
	case $line in *tools/list*) read -r go <"$0";; esac
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
	[ -z "$id" ] || echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[]}}'
done`

// A realClient speaks with a server through a tee, and keeps all that it gets.
type realClient struct {
	*peered
	dir  string
	gate *os.File // gate is the pipe that the server waits at.
	got  []string // got are the lines that it was sent.
}

// startClient starts a client, and shakes hands as the legacy era does.
func startClient(t *testing.T, flags ...string) *realClient {
	t.Helper()
	dir, fifo := t.TempDir(), filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	gate, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gate.Close() }) // lets a server go on that waits still
	argv := append([]string{"wiretea", "tee", "--sessions", dir, "--name", "tea"}, flags...)
	c := &realClient{peered: startPeer(t, peerOptions{}, append(argv, "--", "sh", "-c", waitingServer, fifo)...), dir: dir, gate: gate}
	c.ask(0, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"real","version":"1"}}`)
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.file = awaitLive(t, filepath.Join(dir, "*"+recorder.Suffix))
	return c
}

// answer lets the server answer a tools/list.
func (c *realClient) answer() {
	c.t.Helper()
	if _, err := c.gate.WriteString("go\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *realClient) write(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a request and takes lines until its answer has come.
func (c *realClient) ask(id int, method, params string) {
	c.t.Helper()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	c.take(id)
}

// take takes lines until the answer to id has come.
func (c *realClient) take(id int) {
	c.t.Helper()
	for {
		line := c.line()
		c.got = append(c.got, line)
		if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
			return
		}
	}
}

// watch attaches a screen to the client's session.
func (c *realClient) watch() *termtest.Pty {
	c.t.Helper()
	p := onScreen(c.t, nil, "wiretea", "attach", "--sessions", c.dir)
	see(c.t, p, "notifications/initialized")
	return p
}

func typeIn(t *testing.T, p *termtest.Pty, text string) {
	t.Helper()
	if err := p.Typed(text); err != nil {
		t.Fatal(err)
	}
}

// unsee waits until a text is shown no longer.
func unsee(t *testing.T, p *termtest.Pty, text string) {
	t.Helper()
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool { return !strings.Contains(term.String(), text) }); err != nil {
		t.Fatalf("%q stays: %v", text, err)
	}
}

// seeRow waits for a row of traffic with all these words.
func seeRow(t *testing.T, p *termtest.Pty, words ...string) {
	t.Helper()
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool {
		for _, line := range term.Screen() {
			all := true
			for _, word := range words {
				all = all && strings.Contains(line, word)
			}
			if all {
				return true
			}
		}
		return false
	}); err != nil {
		t.Fatalf("%q: %v", words, err)
	}
}

// TestAttachScreenSends fires a request into a live session from the screen: its answer
// is shown, and the client gets nothing of it.
func TestAttachScreenSends(t *testing.T) {
	t.Parallel()
	c := startClient(t)
	p := c.watch()
	typeIn(t, p, ":send tools/list\r")
	see(t, p, "DO reach")
	pressAll(t, p, "n")
	unsee(t, p, "DO reach")
	typeIn(t, p, ":send tools/list\r")
	see(t, p, "DO reach")
	pressAll(t, p, "y")
	see(t, p, "⚠ NOT TRANSPARENT")
	seeRow(t, p, "↦", "tools/list", "injected")
	c.answer()
	seeRow(t, p, "⇤", "tools/list", "taken out")
	unsee(t, p, "NOT TRANSPARENT")
	see(t, p, "the client did not get this")
	c.answer()
	pressAll(t, p, "r") // it follows: this is the answer to the first
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool { return strings.Count(term.String(), "⇤") == 2 }); err != nil {
		t.Fatal(err)
	}
	c.ask(7, "ping", `{}`)
	if all := strings.Join(c.got, "\n"); len(c.got) != 2 || strings.Contains(all, "wiretea-") {
		t.Errorf("the client got\n%s", all)
	}
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
	if rest := c.talk([]byte{}); rest.code != 0 || strings.Contains(rest.out, "wiretea-") {
		t.Errorf("the client got %+v", rest)
	}
}

// TestAttachScreenCancels cancels a client's request from the screen, which is asked for.
func TestAttachScreenCancels(t *testing.T) {
	t.Parallel()
	c := startClient(t)
	p := c.watch()
	c.write(`{"jsonrpc":"2.0","id":"nine","method":"tools/list"}`)
	seeRow(t, p, "→", "tools/list")
	pressAll(t, p, "ctrl+x")
	see(t, p, "is not told")
	pressAll(t, p, "y")
	seeRow(t, p, "↦", "notifications/cancelled", "injected")
	c.answer()
	if sent := recordedLine(t, c.file, "notifications/cancelled"); !strings.Contains(sent, `"requestId":"nine"`) {
		t.Errorf("sent %s", sent)
	}
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
	c.talk([]byte{})
}

// recordedLine is the first line of a session file with a text in it.
func recordedLine(t *testing.T, file, words string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, words) {
			return line
		}
	}
	t.Errorf("nothing in the record has %q", words)
	return ""
}

// TestAttachScreenEnds ends a client's server from the screen, which stays and says so.
func TestAttachScreenEnds(t *testing.T) {
	t.Parallel()
	c := startClient(t)
	p := c.watch()
	typeIn(t, p, ":end\r")
	see(t, p, "loses it")
	pressAll(t, p, "y")
	see(t, p, "■ over")
	seeRow(t, p, "■ The server", "wiretea")
	typeIn(t, p, ":send ping\r")
	see(t, p, "the session is over")
	c.rest() // the client's end of the session has come
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
}

// TestAttachScreenRefused says why nothing can be done to a session.
func TestAttachScreenRefused(t *testing.T) {
	t.Parallel()
	c := startClient(t, "--no-control")
	p := c.watch()
	typeIn(t, p, ":send ping\r")
	see(t, p, "--no-control")
	pressAll(t, p, "P")
	see(t, p, "⚠ none: its tee accepts no requests")
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
	c.talk([]byte{})
}

// TestAttachScreenComesBack stops a viewer, lets the session go on, and looks again.
func TestAttachScreenComesBack(t *testing.T) {
	t.Parallel()
	c := startClient(t)
	p := c.watch()
	if err := p.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for n := range 300 {
		c.ask(100+n, "ping", `{}`)
	}
	c.write(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	if err := p.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	see(t, p, "roots/list_changed")
	c.talk([]byte{})
	see(t, p, "■ over")
	see(t, p, "after its stdin was closed")
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
}

// TestAttachScreenPicks chooses among sessions.
func TestAttachScreenPicks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := startWatched(t, dir, "one"), startWatched(t, dir, "two")
	p := onScreen(t, nil, "wiretea", "attach", "--sessions", dir)
	see(t, p, "2 sessions are live: which one?")
	seeRow(t, p, "server", "client", "pid", "age", "size", "session")
	seeRow(t, p, "▸", "two") // the latest first
	pressAll(t, p, "j")
	seeRow(t, p, "▸", "one")
	pressAll(t, p, "esc")
	if code := left(t, p); code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
	p = onScreen(t, nil, "wiretea", "attach", "--sessions", dir)
	see(t, p, "which one?")
	pressAll(t, p, "j", "enter")
	see(t, p, "notifications/n1")
	one.ping(2)
	see(t, p, "notifications/n2")
	pressAll(t, p, "P")
	see(t, p, fmt.Sprintf("pid %d, between", one.cmd.Process.Pid))
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
	one.talk([]byte{})
	two.talk([]byte{})
}
