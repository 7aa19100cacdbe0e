//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/termtest"
)

// hostileWords are what a recording may say of a command, and what would run, or end the
// paste, where it got into a shell's line as it is.
var hostileWords = []string{
	"\x1b[201~\ntouch PWNED\n#", "\x1b[201~\rtouch PWNED\r#", "\ntouch PWNED;", "; touch PWNED;", "$(touch PWNED)`touch PWNED`", `\`, "; touch PWNED; '",
	"'; touch PWNED; '", `\'; touch PWNED; '`, "\x03\ntouch PWNED\n#", "\x04", "\x16\x15touch PWNED\x0a#", "\u009b201~\u0085touch PWNED", "\u202ehcuot\u2066 DENWP", "!!", "!touch PWNED", "=touch",
	"%self", "~", "*", "{a,b}", "#", "--record", "a\tb", "\u200b\u3164", "é ☕",
}

// TestPaste pastes the lines that are made of a hostile recording into the shells of this
// machine; bash must be there.
func TestPaste(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil && shell != "bash" {
				t.Skip(err)
			}
			pasteHostile(t, shell)
		})
	}
}

// pasteHostile pastes what y c copies, and what export and replay print.
func pasteHostile(t *testing.T, shell string) {
	dir := t.TempDir()
	file := hostileRecording(t, dir)
	argv := append(slices.Concat([]string{"call", "tools/call", `{"name":"a\\\\'b"}`, "--protocol-version", "2025-11-25", "--root", hostileWords[0], "--cwd", hostileWords[1], "--env", "API_KEY", "--"}), hostileWords...)
	p := onScreen(t, nil, "wiretea", "open", file)
	see(t, p, "call")
	pressAll(t, p, "g", "j", "j", "y", "c")
	var line string
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool { line = term.Clipboard(); return line != "" }); err != nil {
		t.Fatal(err)
	}
	if err := p.Quit(); err != nil {
		t.Error(err)
	}
	if got := pasted(t, shell, line, false); !slices.Equal(got, argv) {
		t.Errorf("%s reads\n%q\nas %q\nwant %q", shell, line, got, argv)
	}
	hint := wiretea(t, "", "replay", hostileFile(t, dir)).err
	_, hint, _ = strings.Cut(hint, "recorded was: ")
	if got := pasted(t, shell, strings.TrimSpace(hint), false); !slices.Equal(got, []string{"replay", "./-x\x1b[201~\ntouch PWNED\n.mcpcap.jsonl", "--", "server", hostileWords[0]}) {
		t.Errorf("%s reads\n%q\nas %q", shell, hint, got)
	}
	// Of what is at a word's end fish has no form that the others know.
	line = text.CommandLine([]string{"wiretea", "x\n", "\ntouch PWNED\n"})
	if got, want := pasted(t, shell, line, shell == "fish"), []string{"x\n", "\ntouch PWNED\n"}; shell != "fish" && !slices.Equal(got, want) || shell == "fish" && got != nil {
		t.Errorf("%s reads\n%q\nas %q", shell, line, got)
	}
}

// hostileRecording is a recording whose header has the hostile words in every place of a
// line, and options that wiretea does not write.
func hostileRecording(t *testing.T, dir string) string {
	t.Helper()
	return writeRecording(t, filepath.Join(dir, "hostile.mcpcap.jsonl"), hostileWords[1], []string{"--root", hostileWords[0], "--record", filepath.Join(dir, "X"), "--token-env", "$(touch PWNED)", "\x1b[201~", "x"}, hostileWords)
}

// hostileFile is a recording with a hostile name, in the working folder of wiretea.
func hostileFile(t *testing.T, dir string) string {
	t.Helper()
	t.Chdir(dir)
	return writeRecording(t, "./-x\x1b[201~\ntouch PWNED\n.mcpcap.jsonl", "/", nil, []string{"server", hostileWords[0]})
}

func writeRecording(t *testing.T, path, cwd string, as, cmd []string) string {
	t.Helper()
	list := func(words []string) string {
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = lex.Quote(word)
		}
		return "[" + strings.Join(quoted, ",") + "]"
	}
	header := fmt.Sprintf(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","tool":"wiretea/0","t0":"2026-11-20T10:00:00.000000000Z","mode":"run","tr":"stdio","cmd":%s,"cwd":%s,"envk":%s,"as":%s,"lim":{"timeout":60000000000,"maxline":10485760,"lines":[65536]}}`,
		list(cmd), lex.Quote(cwd), list([]string{"API_KEY", "A\x1b[201~\ntouch PWNED\n", "$(touch PWNED)", "1"}), list(as))
	frame := func(n int, stream, message string) string {
		return fmt.Sprintf(`{"k":"f","n":%d,"t":%d,"d":%q,"len":%d,"b":%s}`, n, n*1000000, stream, len(message), message)
	}
	text := strings.Join([]string{header,
		frame(1, "c2s", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`),
		frame(2, "s2c", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}`),
		frame(3, "c2s", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a\\\\'b"}}`), ""}, "\n")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pasted pastes a line for wiretea into an interactive shell, and returns with which
// arguments it was run after enter; nil if the shell refuses it. Nothing may have run before, and nothing else after.
func pasted(t *testing.T, shell, line string, refused bool) []string {
	t.Helper()
	dir := t.TempDir()
	fake := filepath.Join(dir, "bin", "wiretea")
	if err := os.Mkdir(filepath.Dir(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nprintf '%s\\000' \"$@\" >\"$OUT/argv\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	flags := map[string][]string{"bash": {"--norc", "-i"}, "zsh": {"-f", "-i"}, "fish": {"-i"}}[shell]
	p := onScreen(t, []string{"HOME=" + t.TempDir(), "OUT=" + dir, "API_KEY=k", "LC_ALL=C.UTF-8", "PATH=" + filepath.Dir(fake) + ":" + os.Getenv("PATH")}, append([]string{shell}, flags...)...)
	say := func(text string) {
		if err := p.Typed(text); err != nil {
			t.Fatal(err)
		}
	}
	say("cd $OUT; echo rea''dy\r")
	see(t, p, "ready")
	if _, err := p.Until(patience, func(term *termtest.Terminal) bool { return term.Mode(2004) }); err != nil {
		t.Fatal(err)
	}
	ran := func() []string {
		all, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(all, func(path string) bool { return filepath.Base(path) == "bin" })
	}
	say("\x1b[200~" + line + "\x1b[201~")
	see(t, p, line[len(line)-4:])
	if files := ran(); len(files) > 0 {
		t.Fatalf("%s ran %q before enter: %q", shell, files, line)
	}
	say("\r")
	if refused {
		see(t, p, "fish: ")
		if files := ran(); len(files) > 0 {
			t.Fatalf("%s made the files %q of %q", shell, files, line)
		}
		return nil
	}
	say("echo en''ded\r")
	see(t, p, "ended")
	if files := ran(); len(files) != 1 || filepath.Base(files[0]) != "argv" {
		t.Fatalf("%s made the files %q of %q; the screen is\n%v", shell, files, line, screenOf(p))
	}
	text, err := os.ReadFile(filepath.Join(dir, "argv"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

func screenOf(p *termtest.Pty) (text string) {
	p.Look(func(term *termtest.Terminal) { text = term.String() })
	return text
}
