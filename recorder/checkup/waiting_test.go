package checkup_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"wiretea/recorder/capture"
	"wiretea/recorder/checkup"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/transport"
)

// A fakeServer is a server in this process. serve gets each message of the client's and
// writes what it likes to stdout and stderr.
type fakeServer struct {
	lengths bool // lengths: it reads messages framed with Content-Length, and nothing else.
	serve   func(msg request, out, stderr io.Writer)

	conns   []*fakeConn
	mu      sync.Mutex    // mu guards what follows.
	latest  time.Time     // latest is when the latest message came.
	longest time.Duration // longest is the longest time without a message.
}

// A request is a message of the client's.
type request struct {
	Line   []byte          `json:"-"`
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version string `json:"protocolVersion"`
		Name    string `json:"name"`
	} `json:"params"`
}

type fakeConn struct {
	tap  *transport.Tap
	n    int
	in   *io.PipeWriter
	out  *io.PipeReader
	done chan struct{}
	once sync.Once
}

func (s *fakeServer) Describe(h *session.Header) { h.Trans, h.Cmd = "stdio", []string{"fake"} }

func (s *fakeServer) Start(tap *transport.Tap, _ string) (capture.Conn, error) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &fakeConn{tap: tap, n: len(s.conns) + 1, in: toServer, out: fromServer, done: make(chan struct{})}
	s.conns = append(s.conns, c)
	tap.Proc(c.n, session.Proc{Event: "start", PID: 4711})
	go func() {
		defer close(c.done)
		stdout := tapped{tap, c.n, session.S2C, out}
		lines := bufio.NewReader(in)
		for {
			line, err := s.read(lines, stdout)
			if err != nil {
				break
			}
			msg := request{Line: line}
			_ = json.Unmarshal(line, &msg)
			s.pause()
			s.serve(msg, stdout, tapped{tap, c.n, session.Stderr, nil})
		}
		tap.IO(c.n, session.S2C, session.IOEvent{Event: "eof", Side: "src"})
		tap.Proc(c.n, session.Proc{Event: "exit", PID: 4711})
		_ = out.Close()
	}()
	return c, nil
}

// pause notes that the client did something.
func (s *fakeServer) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.latest.IsZero() {
		s.longest = max(s.longest, time.Since(s.latest))
	}
	s.latest = time.Now()
}

// read reads the next message. A server that expects headers answers a line that is none
// by an error, in its own framing.
func (s *fakeServer) read(r *bufio.Reader, out io.Writer) ([]byte, error) {
	for {
		line, err := r.ReadBytes('\n')
		size, header := strings.CutPrefix(strings.TrimSpace(string(line)), "Content-Length: ")
		switch {
		case err != nil:
			return nil, err
		case !s.lengths:
			return line, nil
		case !header:
			lengths(out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"missing Content-Length"}}`)
			continue
		}
		n, _ := strconv.Atoi(size)
		body := make([]byte, n+2)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, err
		}
		return body[2:], nil
	}
}

func lengths(out io.Writer, text string) {
	fmt.Fprintf(out, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

// A tapped is an output of a server, as a relay records and forwards it.
type tapped struct {
	tap  *transport.Tap
	conn int
	s    session.Stream
	to   io.Writer // to is nil for stderr.
}

func (w tapped) Write(p []byte) (int, error) {
	w.tap.Put(w.conn, w.s, session.Crossed, p)
	defer w.tap.Wake()
	if w.to == nil {
		return len(p), nil
	}
	return w.to.Write(p)
}

func (c *fakeConn) Write(p []byte) (int, error) {
	return tapped{c.tap, c.n, session.C2S, c.in}.Write(p)
}
func (c *fakeConn) Read(p []byte) (int, error) { return c.out.Read(p) }
func (c *fakeConn) CloseWrite() error {
	c.once.Do(func() { c.tap.IO(c.n, session.C2S, session.IOEvent{Event: "eof", Side: "src"}) })
	return c.in.Close()
}
func (c *fakeConn) Number() int           { return c.n }
func (c *fakeConn) Done() <-chan struct{} { return c.done }
func (c *fakeConn) Shutdown(context.Context) (transport.Exit, error) {
	_ = c.CloseWrite()
	_ = c.out.Close()
	<-c.done
	return transport.Exit{}, nil
}
func (c *fakeConn) ShutdownWithin(ctx context.Context, _ time.Duration) (transport.Exit, error) {
	return c.Shutdown(ctx)
}

// good is the right answer to a request; empty for a notification.
func good(msg request) string {
	result := `{}`
	switch msg.Method {
	case "server/discover":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, msg.ID)
	case "initialize":
		result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`, msg.Params.Version)
	case "tools/list":
		result = `{"tools":[{"name":"echo","description":"says it again","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		result = `{"content":[{"type":"text","text":"hi"}]}`
	}
	if msg.ID == nil {
		return ""
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, result)
}

var (
	idMember = regexp.MustCompile(`"id":\d+,`)
	outcome  = regexp.MustCompile(`,"(result|error)":.*\}$`)
)

// utf16Text is a text in UTF-16, little endian where little is set.
func utf16Text(text string, little bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if little {
			b = append(b, byte(u), byte(u>>8))
		} else {
			b = append(b, byte(u>>8), byte(u))
		}
	}
	return string(b)
}

// broken are the ways in which an answer can come so that no client can use it. Each
// gets the right answer.
var broken = []struct {
	name  string
	write func(answer string, out, stderr io.Writer)
}{
	{"cut short", func(a string, out, _ io.Writer) { io.WriteString(out, a[:len(a)-1]+"\n") }},
	{"cut short, no line end", func(a string, out, _ io.Writer) { io.WriteString(out, a[:len(a)-1]) }},
	{"cut in the middle", func(a string, out, _ io.Writer) { io.WriteString(out, a[:len(a)*2/3]+"\n") }},
	{"a comma too many", func(a string, out, _ io.Writer) { io.WriteString(out, a[:len(a)-1]+",}\n") }},
	{"single quotes", func(a string, out, _ io.Writer) { io.WriteString(out, strings.ReplaceAll(a, `"`, `'`)+"\n") }},
	{"keys without quotes", func(a string, out, _ io.Writer) {
		io.WriteString(out, regexp.MustCompile(`"(\w+)":`).ReplaceAllString(a, "$1: ")+"\n")
	}},
	{"NaN", func(a string, out, _ io.Writer) {
		io.WriteString(out, strings.Replace(a, `{"jsonrpc"`, `{"x":NaN,"jsonrpc"`, 1)+"\n")
	}},
	{"True", func(a string, out, _ io.Writer) { io.WriteString(out, a[:len(a)-1]+`,"ok":True}`+"\n") }},
	{"a prefix", func(a string, out, _ io.Writer) { io.WriteString(out, "INFO sending "+a+"\n") }},
	{"as an SSE event", func(a string, out, _ io.Writer) { io.WriteString(out, "event: message\ndata: "+a+"\n\n") }},
	{"a raw control character", func(a string, out, _ io.Writer) {
		io.WriteString(out, strings.Replace(a, `"2.0"`, "\"2.0\x01\"", 1)+"\n")
	}},
	{"quoted as a string", func(a string, out, _ io.Writer) { io.WriteString(out, strconv.Quote(a)+"\n") }},
	{"neither result nor error", func(a string, out, _ io.Writer) { io.WriteString(out, outcome.ReplaceAllString(a, "}")+"\n") }},
	{"id null", func(a string, out, _ io.Writer) { io.WriteString(out, idMember.ReplaceAllString(a, `"id":null,`)+"\n") }},
	{"no id", func(a string, out, _ io.Writer) { io.WriteString(out, idMember.ReplaceAllString(a, "")+"\n") }},
	{"another id", func(a string, out, _ io.Writer) { io.WriteString(out, idMember.ReplaceAllString(a, `"id":4711,`)+"\n") }},
	{"an object as id", func(a string, out, _ io.Writer) { io.WriteString(out, idMember.ReplaceAllString(a, `"id":{},`)+"\n") }},
	{"UTF-16LE", func(a string, out, _ io.Writer) { io.WriteString(out, utf16Text(a+"\n", true)) }},
	{"UTF-16LE with a BOM", func(a string, out, _ io.Writer) { io.WriteString(out, utf16Text("\ufeff"+a+"\r\n", true)) }},
	{"UTF-16BE", func(a string, out, _ io.Writer) { io.WriteString(out, utf16Text(a+"\n", false)) }},
	{"a method in the result", func(a string, out, _ io.Writer) {
		io.WriteString(out, outcome.ReplaceAllString(a, `,"result":{"tools":[{"inputSchema":{"method":"x"}}]},}`)+"\n")
	}},
	{"the id last", func(a string, out, _ io.Writer) {
		id := strings.TrimSuffix(idMember.FindString(a), ",")
		io.WriteString(out, `{"jsonrpc":"2.0","result":{"tools":[{"id":"x"},{"id":"y"}],},`+id+"}\n")
	}},
	{"to stderr", func(a string, _, stderr io.Writer) { io.WriteString(stderr, a+"\n") }},
}

// commands are the ways in which the commands wait for a server. Each returns what the
// user is told of.
var commands = map[string]func(run *capture.Run, cfg client.Config) error{
	"run": func(run *capture.Run, _ client.Config) error {
		_, err := run.Connect(context.Background())
		if err == nil {
			err = run.Send(context.Background(), `tools/list`)
		}
		if err == nil {
			err = run.Send(context.Background(), `tools/call {"name":"echo"}`)
		}
		return err
	},
	"call": func(run *capture.Run, _ client.Config) error {
		c, err := run.Connect(context.Background())
		if err == nil {
			_, err = c.List(context.Background(), "tools/list")
		}
		if err == nil {
			_, err = c.Do(context.Background(), "tools/call", json.RawMessage(`{"name":"echo"}`), client.Options{Progress: func(client.Progress) {}})
		}
		return err
	},
	"check": func(run *capture.Run, cfg client.Config) error {
		done := checkup.Run(context.Background(), checking(run, cfg))
		var all []error
		for _, f := range done.Own() {
			all = append(all, errors.New(f.Message))
		}
		return errors.Join(all...)
	},
}

// checking is a check with a call.
func checking(run *capture.Run, cfg client.Config) checkup.Config {
	return checkup.Config{Run: run, Client: cfg, Calls: []json.RawMessage{json.RawMessage(`{"name":"echo"}`)}, Timeout: session.DefaultLimits().For, Warn: io.Discard}
}

// command runs a command against a server. It returns how long its longest wait was,
// the warnings and what the user is told.
func command(t *testing.T, server *fakeServer, act func(*capture.Run, client.Config) error) (waited time.Duration, warned string, err error) {
	t.Helper()
	var warn bytes.Buffer
	run, err := capture.New(capture.Config{Server: server, Record: capture.Record{None: true}, Limits: session.DefaultLimits(), Warn: &warn})
	if err != nil {
		t.Fatal(err)
	}
	err = act(run, client.Config{})
	server.pause()
	_ = run.Close(context.Background(), "eof")
	_ = run.Release()
	return server.longest, warn.String(), err
}

// TestUnusableAnswers holds that the first line of check has the cause and its mend when the
// time for an answer was up that is there and cannot be used, whatever is wrong with it and
// whichever request it answers.
func TestUnusableAnswers(t *testing.T) {
	for _, b := range broken {
		for _, stage := range []string{"initialize", "tools/list", "tools/call", "*"} {
			t.Run(b.name+"/"+stage, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := &fakeServer{serve: func(msg request, out, stderr io.Writer) {
						switch a := good(msg); {
						case a == "":
						case msg.Method == stage || stage == "*":
							b.write(a, out, stderr)
						default:
							io.WriteString(out, a+"\n")
						}
					}}
					var v *verdict.Verdict
					command(t, server, func(run *capture.Run, cfg client.Config) error {
						done := checkup.Run(context.Background(), checking(run, cfg))
						_ = run.Close(context.Background(), "eof")
						v = (&verdict.Policy{}).Judge(verdict.Session{Snapshot: run.Snapshot(), Log: run.Log(), Own: done.Own(), Probed: done.Probed, Covered: done.Covered})
						return nil
					})
					t.Logf("SAYS %s → %s", v.Sentence, v.Fix)
					if v.Sentence == "" || v.Fix == "" || strings.Contains(v.Sentence, "not answered") {
						t.Errorf("check says %q, and %q helps", v.Sentence, v.Fix)
					}
				})
			})
		}
	}
}

// TestJudgement holds the figure of docs/judgement.md against the ways that are tried.
func TestJudgement(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "judgement.md"))
	if want := fmt.Sprintf("| ways to spoil an answer | %d |", len(broken)); err != nil || !bytes.Contains(text, []byte(want)) {
		t.Errorf("docs/judgement.md does not say %q: %v", want, err)
	}
}

// harmless are what a server may write before it answers a request.
var harmless = map[string]func(msg request, out, stderr io.Writer){
	"nothing":             func(request, io.Writer, io.Writer) {},
	"text":                func(_ request, out, _ io.Writer) { io.WriteString(out, "Loading the model …\n") },
	"text with a result":  func(_ request, out, _ io.Writer) { io.WriteString(out, "result: 3, id: 17\n") },
	"JSON of a log":       func(_ request, out, _ io.Writer) { io.WriteString(out, `{"level":"info","id":3}`+"\n") },
	"half a line":         func(_ request, out, _ io.Writer) { io.WriteString(out, `{"level":"info"`) },
	"its input":           func(msg request, out, _ io.Writer) { fmt.Fprintf(out, "read %s", msg.Line) },
	"its input on stderr": func(msg request, _, stderr io.Writer) { _, _ = stderr.Write(msg.Line) },
	"a result in a log": func(msg request, _, stderr io.Writer) {
		fmt.Fprintf(stderr, `{"level":30,"id":%s,"result":"ok"}`+"\n", msg.ID)
	},
	"a notification":        func(_ request, out, _ io.Writer) { io.WriteString(out, note+"}}\n") },
	"a broken notification": func(_ request, out, _ io.Writer) { io.WriteString(out, note+",}}\n") },
	"a ping": func(msg request, out, _ io.Writer) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`+"\n", msg.ID)
	},
	"an old answer": func(_ request, out, _ io.Writer) {
		io.WriteString(out, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`+"\n")
	},
}

const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"at it"`

// TestLateAnswers holds that a wait goes on where the answer may still come.
func TestLateAnswers(t *testing.T) {
	for kind, write := range harmless {
		for name, act := range commands {
			for _, stage := range []string{"initialize", "tools/list", "tools/call"} {
				t.Run(kind+"/"+name+"/"+stage, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server := &fakeServer{serve: func(msg request, out, stderr io.Writer) {
							if msg.Method == stage {
								write(msg, out, stderr)
								time.Sleep(30 * time.Second)
								io.WriteString(out, "\n")
							}
							if a := good(msg); a != "" {
								io.WriteString(out, a+"\n")
							}
						}}
						if waited, _, err := command(t, server, act); err != nil || waited < 30*time.Second {
							t.Errorf("after %v: %v", waited, err)
						}
					})
				})
			}
		}
	}
}

// TestContentLength holds that a server that expects Content-Length headers is spoken to
// with them, and the user is told; and that a server that reads lines is not.
func TestContentLength(t *testing.T) {
	for _, reads := range []bool{true, false} {
		for name, act := range commands {
			t.Run(fmt.Sprint(name, " ", reads), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := &fakeServer{lengths: reads, serve: func(msg request, out, _ io.Writer) {
						if a := good(msg); a != "" {
							lengths(out, a)
						}
					}}
					waited, warned, err := command(t, server, act)
					if err != nil || waited > 5*time.Second {
						t.Errorf("after %v: %v", waited, err)
					}
					if told := strings.Contains(warned, "--framing"); told != reads || len(server.conns) != map[bool]int{true: 2, false: 1}[reads] {
						t.Errorf("%d connections, and the warning %q", len(server.conns), warned)
					}
				})
			})
		}
	}
}

// TestFetchedServer holds that the time limits of a handshake do not run while the
// server's image is fetched, unless that takes too long; and what is told of the waits.
func TestFetchedServer(t *testing.T) {
	for _, c := range []struct {
		takes    time.Duration
		patience time.Duration
		fails    bool
	}{
		{takes: 200 * time.Second, patience: 5 * time.Minute},
		{takes: 200 * time.Second, fails: true},
		{takes: 10 * time.Minute, patience: 5 * time.Minute, fails: true},
	} {
		t.Run(fmt.Sprint(c.takes, " ", c.patience), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, fetched := time.Now(), false
				server := &fakeServer{serve: func(msg request, out, stderr io.Writer) {
					if !fetched {
						fetched = true
						io.WriteString(stderr, "Unable to find image 'mcp/time:latest' locally\n")
						time.Sleep(c.takes)
						io.WriteString(stderr, "Status: Downloaded newer image for mcp/time:latest\n")
						time.Sleep(5 * time.Second)
					}
					if a := good(msg); a != "" {
						io.WriteString(out, a+"\n")
					}
				}}
				var told []capture.Wait
				holds := 0
				run, err := capture.New(capture.Config{
					Server: server, Record: capture.Record{None: true}, Limits: session.DefaultLimits(), Patience: c.patience,
					Slow: func(w capture.Wait) { told = append(told, w) },
					Held: func(on bool) { holds += map[bool]int{true: 1, false: -1}[on] },
				})
				if err != nil {
					t.Fatal(err)
				}
				_, err = run.Connect(context.Background())
				took := time.Since(begun)
				_ = run.Close(context.Background(), "eof")
				_ = run.Release()
				if (err != nil) != c.fails {
					t.Errorf("after %v: %v", took, err)
				}
				if holds != 0 {
					t.Errorf("held %d times more than released", holds)
				}
				if len(told) == 0 || told[0].For < 3*time.Second || told[0].For > 5*time.Second || !told[0].Starting {
					t.Fatalf("told of %+v", told)
				}
				if named := told[0].Launcher == "docker"; named != (c.patience > 0) {
					t.Errorf("told of %+v", told[0])
				}
				for i, w := range told {
					if i > 0 && w.Method == told[i-1].Method && w.For < 2*told[i-1].For {
						t.Errorf("told after %v and again after %v", told[i-1].For, w.For)
					}
				}
			})
		})
	}
}
