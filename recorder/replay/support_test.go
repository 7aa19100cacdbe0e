package replay

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session/transport"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// record makes a recording of lines: "→ text" the client wrote, "← text" the
// server wrote, "! text" stderr, "→in", "←in", "→out", "←out" the same with a way;
// "eof", "closed" (the server's stdout), "signal", "exit CODE [SIGNAL]", "conn N",
// and "+DURATION" for time that passes. A text may end in \r, in \0 without a terminator, and
// a header block in \h.
func record(t testing.TB, lines ...string) *recorder.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session"+recorder.Suffix)
	if err := os.WriteFile(path, recording(t, lines...), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func recording(t testing.TB, lines ...string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","tool":"test","t0":"2026-11-20T10:00:00Z","mode":"run","tr":"stdio","cmd":["server"]}` + "\n")
	n, now, conn := 0, time.Duration(0), 1
	write := func(format string, args ...any) {
		n++
		fmt.Fprintf(&b, `{"k":%s,"n":%d,"t":%d,"c":%d}`+"\n", fmt.Sprintf(format, args...), n, int64(now), conn)
	}
	frame := func(stream, way, text string) {
		body, term := text, ""
		if rest, ok := strings.CutSuffix(text, "\\r"); ok {
			body, term = rest, `,"e":"\r\n"`
		}
		if rest, ok := strings.CutSuffix(text, "\\0"); ok {
			body, term = rest, `,"e":""`
		}
		if rest, ok := strings.CutSuffix(text, "\\h"); ok {
			body, term = rest, `,"e":"\r\n\r\n"`
		}
		if way != "" {
			way = fmt.Sprintf(`,"way":%q`, way)
		}
		write(`"f","d":%q,"len":%d%s%s,"x":%q`, stream, len(body), way, term, base64.StdEncoding.EncodeToString([]byte(body)))
	}
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		now += time.Millisecond
		switch word {
		case "→", "→in", "→out":
			frame("c2s", strings.TrimPrefix(word, "→"), rest)
		case "←", "←in", "←out":
			frame("s2c", strings.TrimPrefix(word, "←"), rest)
		case "!":
			frame("err", "", rest)
		case "eof":
			write(`"io","d":"c2s","ev":"eof","side":"client"`)
		case "closed":
			write(`"io","d":"s2c","ev":"eof","side":"server"`)
		case "signal":
			write(`"proc","ev":"signal","sig":"SIGTERM","by":"us"`)
		case "exit":
			code, sig, _ := strings.Cut(rest, " ")
			write(`"proc","ev":"exit","code":%s,"sig":%q`, code, sig)
		case "conn":
			_ = json.Unmarshal([]byte(rest), &conn)
		default:
			d, err := time.ParseDuration(strings.TrimPrefix(line, "+"))
			if err != nil {
				t.Fatalf("what is %q?", line)
			}
			now += d
		}
	}
	return b.Bytes()
}

// draw draws what lines record.
func draw(t testing.TB, end End, lines ...string) []*Script {
	t.Helper()
	scripts, err := ReadScripts(record(t, lines...), end)
	if err != nil {
		t.Fatal(err)
	}
	return scripts
}

// A talk is a conversation with a mock.
type talk struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	errw bytes.Buffer // errw may be read once the mock has ended.

	notes []string // notes likewise.
	exit  transport.Exit
	err   error
	done  chan struct{}
	stop  context.CancelFunc
}

// mocked begins a conversation with a mock.
func mocked(t *testing.T, cfg Mock, scripts []*Script) *talk {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	tk := &talk{t: t, in: inW, out: bufio.NewReader(outR), done: make(chan struct{}), stop: stop}
	cfg.Note = func(line string) { tk.notes = append(tk.notes, line) }
	go func() {
		defer close(tk.done)
		tk.exit, tk.err = cfg.Serve(ctx, scripts, inR, outW, &tk.errw)
		outW.Close()
	}()
	t.Cleanup(func() {
		stop()
		inW.Close()
		outR.Close()
		<-tk.done
	})
	return tk
}

// say writes a line to the mock.
func (tk *talk) say(line string) {
	tk.t.Helper()
	if _, err := io.WriteString(tk.in, line+"\n"); err != nil {
		tk.t.Fatalf("saying %s: %v", line, err)
	}
}

// hear expects lines from the mock.
func (tk *talk) hear(lines ...string) {
	tk.t.Helper()
	for _, want := range lines {
		got, err := tk.out.ReadString('\n')
		if err != nil {
			tk.t.Fatalf("want %s, got %q and %v", want, got, err)
		}
		if got = strings.TrimSuffix(got, "\n"); got != want {
			tk.t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

// end closes the mock's input, and expects nothing but these lines to come.
func (tk *talk) end(lines ...string) {
	tk.t.Helper()
	tk.in.Close()
	tk.rest(lines...)
}

// rest expects nothing but these lines to the end.
func (tk *talk) rest(lines ...string) {
	tk.t.Helper()
	tk.hear(lines...)
	rest, err := io.ReadAll(tk.out)
	if err != nil || len(rest) > 0 {
		tk.t.Fatalf("behind the end came %q, %v", rest, err)
	}
	<-tk.done
	if tk.err != nil {
		tk.t.Fatal(tk.err)
	}
}

// play plays a conversation: "→ text" is said, "← text" must be heard, "eof" ends
// the input, and nothing else may come.
func (tk *talk) play(lines ...string) {
	tk.t.Helper()
	for i, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "→":
			tk.say(rest)
		case "←":
			tk.hear(rest)
		case "eof":
			tk.in.Close()
		case "end":
			tk.rest()
			return
		default:
			tk.t.Fatalf("line %d: what is %q?", i, line)
		}
	}
	tk.end()
}
