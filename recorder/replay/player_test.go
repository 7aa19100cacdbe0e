package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session/json/diff"
	"wiretea/session/transport"
)

// A standIn is a server that does for each line that comes what a table says: lines
// that begin with → are what it gets, and what follows is what it does then. "exit
// CODE" ends it, "+1s" waits.
type standIn struct {
	*io.PipeWriter // what is written to it
	out            *io.PipeReader
	exit           chan transport.Exit
	got            []string // got are the lines that came; they may be read after the play.
	once           sync.Once
	how            transport.Exit
}

func (s *standIn) Read(p []byte) (int, error) { return s.out.Read(p) }

func (s *standIn) Shutdown(context.Context) (transport.Exit, error) {
	s.PipeWriter.Close()
	s.once.Do(func() { s.how = <-s.exit })
	return s.how, nil
}

func newStandIn(t *testing.T, table []string) *standIn {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &standIn{PipeWriter: inW, out: outR, exit: make(chan transport.Exit, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		code := s.serve(inR, outW, table)
		inR.Close()
		outW.Close()
		s.exit <- transport.Exit{Code: code}
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		<-done
	})
	return s
}

func (s *standIn) serve(in io.Reader, out io.Writer, table []string) int {
	at, last := 0, 0
	do := func() (code int, over bool) {
		for ; at < len(table) && !strings.HasPrefix(table[at], "→"); at++ {
			word, rest, _ := strings.Cut(table[at], " ")
			switch {
			case word == "atend":
				fmt.Sscan(rest, &last)
			case word == "exit":
				fmt.Sscan(rest, &code)
				return code, true
			case strings.HasPrefix(word, "+"):
				d, _ := time.ParseDuration(word[1:])
				time.Sleep(d)
			default:
				if _, err := io.WriteString(out, strings.ReplaceAll(rest, `\r`, "\r")+"\n"); err != nil {
					return 0, true
				}
			}
		}
		return 0, false
	}
	if code, over := do(); over {
		return code
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		s.got = append(s.got, lines.Text())
		if at < len(table) {
			at++
		}
		if code, over := do(); over {
			return code
		}
	}
	return last
}

// brief is a divergence in one line.
func brief(d Divergence) string {
	return strings.TrimSpace(fmt.Sprintf("%s %d %s: %s", d.Kind, d.N, d.What, d.Why))
}

func TestPlayer(t *testing.T) {
	ok := func(id string) string { return `← {"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	for _, c := range []struct {
		name     string
		cfg      Player
		recorded []string
		server   []string // server is what the live one does; nil = the same as the recorded one.
		got      []string // got is what comes to it; nil = what was recorded.
		found    []string
	}{
		{name: "the same", recorded: after("→ "+call("1", "a", ""), ok("1"), "eof", "exit 0"), server: after("→", ok("1"), "atend 0")},
		{
			name:     "what means the same, and what must differ",
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"a":1.0,"b":"é","at":"2026-01-01T00:00:00Z","timestamp":5,"_meta":{"x":1}}}`),
			server:   after("→", `← {"id":1,"result":{"timestamp":7,"b":"\u00e9","a":1,"at":"2027-02-02T10:00:00.5+01:00"},"jsonrpc":"2.0"}`),
		},
		{
			name:     "the same, strictly",
			cfg:      Player{Strict: true},
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"at":"2026-01-01T00:00:00Z"}}`),
			server:   after("→", `← {"jsonrpc":"2.0","id":1,"result":{"at":"2027-01-01T00:00:00Z"}}`),
			found:    []string{"differs 5 tools/call a (1): the message differs"},
		},
		{
			name:     "another result",
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n":1}}`, "→ "+call("2", "a", ""), ok("2")),
			server:   after("→", `← {"jsonrpc":"2.0","id":1,"result":{"n":2}}`, "→", ok("2")),
			got:      append(heard(after()), call("1", "a", "")),
			found:    []string{"differs 5 tools/call a (1): the message differs"},
		},
		{
			name:     "another result that does not count",
			cfg:      Player{Ignore: diff.MustPaths(".result.n")},
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n":1}}`),
			server:   after("→", `← {"jsonrpc":"2.0","id":1,"result":{"n":2}}`),
		},
		{
			name: "all divergences",
			cfg:  Player{KeepGoing: true},
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n":1}}`, "← a log line",
				"→ "+call("2", "a", ""), `← {"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}`, "→ "+call("3", "a", ""), ok("3"), "eof", "exit 0"),
			server: after("→", `← {"jsonrpc":"2.0","id":1,"result":{"n":2}}`, "← another line", "→", ok("2"), `← {"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
				"→", ok("3"), ok("3"), "← more"),
			found: []string{"differs 5 tools/call a (1): the message differs", "differs 6 a line that is not a message: the line differs",
				"differs 8 tools/call a (2): the response was an error and is a result",
				"unexpected 9 notifications/message: the recorded server sent none of these, or no more of them",
				"unexpected 9 tools/call a (3): a second answer, which the recorded server did not send",
				"unexpected 9 a line that is not a message: the recorded server wrote no such line"},
		},
		{
			name:     "a way to write it",
			cfg:      Player{KeepGoing: true},
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0",`, `← "id":1,"result":{}}`, "→ "+call("2", "a", ""), ok("2")+`\r`),
			server:   after("→", ok("1"), "→", ok("2")),
			found: []string{"differs 5 tools/call a (1): it is written differently; recorded: spread over lines; now: one message on a line",
				`differs 8 tools/call a (2): it is written differently; recorded: its line ends with "\r\n"; now: one message on a line`},
		},
		{
			name:     "nothing is recorded behind a header",
			recorded: after("→ "+call("1", "a", ""), `← Content-Length: 36\h`),
			server:   after("→", "atend 0"),
			found:    []string{"missing 5 a line that is not a message: has not come within 10s"},
		},
		{
			name:     "an id of another type",
			recorded: after("→ "+call("1", "a", ""), ok(`"1"`)),
			server:   after("→", ok("1")),
			found:    []string{`differs 5 tools/call a ("1"): the message differs`},
		},
		{
			name:     "a question has an id of its own",
			recorded: after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":"q-1","method":"roots/list"}`, `→ {"jsonrpc":"2.0","id":"q-1","result":{"roots":[]}}`, ok("1")),
			server:   after("→", `← {"jsonrpc":"2.0","id":77,"method":"roots/list"}`, "→", ok("1")),
			got:      append(heard(after()), call("1", "a", ""), `{"jsonrpc":"2.0","id":77,"result":{"roots":[]}}`),
		},
		{
			name:     "a question that was not asked is answered",
			cfg:      Player{KeepGoing: true},
			recorded: after("→ "+call("1", "a", ""), ok("1")),
			server:   after("→", `← {"jsonrpc":"2.0","id":7,"method":"ping"}`, "→", `← {"jsonrpc":"2.0","id":8,"method":"roots/list"}`, "→", ok("1")),
			got: append(heard(after()), call("1", "a", ""), `{"jsonrpc":"2.0","id":7,"result":{}}`,
				`{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"the recorded client was not asked this"}}`),
			found: []string{"unexpected 4 roots/list (8): the recorded server sent none of these, or no more of them"},
		},
		{
			name: "a cursor, a state and a task as the server gives them",
			recorded: after(`→ {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `← {"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"A"}}`,
				`→ {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"A"}}`, `← {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`,
				"→ "+call("3", "a", ""), `← {"jsonrpc":"2.0","id":3,"result":{"requestState":"s1","taskId":"task-0001"}}`,
				"→ "+call("4", "a", `,"requestState" : "s1"`), `← {"jsonrpc":"2.0","id":4,"result":{"list":["task-0001"]}}`,
				`→ {"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"task-0001"}}`, ok("5")),
			server: after("→", `← {"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"B"}}`, "→", `← {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`,
				"→", `← {"jsonrpc":"2.0","id":3,"result":{"requestState":"other","taskId":"task-9999"}}`, "→", `← {"jsonrpc":"2.0","id":4,"result":{"list":["task-9999"]}}`, "→", ok("5")),
			got: append(heard(after()), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"B"}}`,
				call("3", "a", ""), call("4", "a", `,"requestState" : "other"`), `{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"task-9999"}}`),
		},
		{
			name: "answers and progress in another order",
			recorded: after("→ "+call("1", "a", `,"_meta":{"progressToken":1}`), "→ "+call("2", "a", `,"_meta":{"progressToken":2}`),
				`← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`, `← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
				ok("2"), ok("1")),
			server: after("→", "→", `← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, ok("1"),
				`← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`, ok("2")),
		},
		{
			name:     "notifications that do not count",
			cfg:      Player{IgnoreMethods: []string{"notifications/message"}},
			recorded: after("→ "+call("1", "a", ""), ok("1")),
			server:   after("→", `← {"jsonrpc":"2.0","method":"notifications/message","params":{}}`, ok("1")),
		},
		{
			name:     "it dies",
			recorded: after("→ "+call("1", "a", ""), ok("1"), "→ "+call("2", "a", ""), ok("2"), "eof", "exit 0"),
			server:   after("→", ok("1"), "→", "exit 3"),
			found:    []string{"died 7 the server: it closed its stdout, or ended, before tools/call a (2) of frame 7"},
		},
		{
			name:     "it dies as it did",
			recorded: after("→ "+call("1", "a", ""), "closed", "exit 3"),
			server:   after("→", "exit 3"),
		},
		{
			name:     "another exit code",
			recorded: after("eof", "exit 0"),
			server:   after("atend 5"),
			found:    []string{"ended 5 the server's exit: recorded: exit code 0; now: exit code 5"},
		},
		{
			name:     "how it would have ended is not known",
			recorded: after("eof", "signal", "exit -1 SIGTERM"),
			server:   after(),
		},
		{
			name:     "it had to be ended, and ends now",
			recorded: after("eof", "+2s", "signal", "exit -1 SIGTERM"),
			server:   after(),
			found:    []string{"ended 6 the server's exit: recorded: ended by SIGTERM; now: exit code 0"},
		},
		{
			name:     "an answer that was not given then",
			recorded: after("→ "+call("1", "a", ""), "+5s", `→ {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`),
			server:   after("→", ok("1")),
			got:      append(heard(after()), call("1", "a", "")),
			found:    []string{"unexpected 4 tools/call a (1): the recorded server never answered this"},
		},
		{
			name:     "what is not a message is left out",
			recorded: after("→ oops", "→ "+call("1", "a", ""), ok("1")),
			server:   after("→", ok("1")),
			got:      append(heard(after()), call("1", "a", "")),
		},
		{
			name:     "but not of the exact bytes",
			cfg:      Player{Bytes: true},
			recorded: after(`→ oops\r`, "→ "+call("1", "a", ""), ok("1")),
			server:   after("→", "→", ok("1")),
			got:      append(heard(after()), "oops", call("1", "a", "")),
		},
		{
			name:     "it plays to the server what the server got",
			recorded: after(`→out {"jsonrpc":"2.0","id":"wiretea-1","method":"tools/list"}`, `←in {"jsonrpc":"2.0","id":"wiretea-1","result":{}}`),
			server:   after("→", `← {"jsonrpc":"2.0","id":"wiretea-1","result":{}}`),
			got:      append(heard(after()), `{"jsonrpc":"2.0","id":"wiretea-1","method":"tools/list"}`),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := draw(t, ServerEnd, c.recorded...)[0]
			if c.server == nil {
				c.server = c.recorded
			}
			if c.got == nil {
				c.got = heard(c.recorded)
			}
			synctest.Test(t, func(t *testing.T) {
				server := newStandIn(t, slices.DeleteFunc(slices.Clone(c.server), func(l string) bool { return l == "eof" || l == "closed" || strings.HasPrefix(l, "!") }))
				got, err := c.cfg.Play(t.Context(), script, server)
				if err != nil {
					t.Fatal(err)
				}
				var found []string
				for _, d := range got.First {
					found = append(found, brief(d))
				}
				if !slices.Equal(found, c.found) {
					t.Errorf("found\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(c.found, "\n"))
				}
				if !slices.Equal(server.got, c.got) {
					t.Errorf("the server got\n%s\nwant\n%s", strings.Join(server.got, "\n"), strings.Join(c.got, "\n"))
				}
			})
		})
	}
}

// heard are the lines that the client of a recording wrote.
func heard(recorded []string) []string {
	var lines []string
	for _, l := range recorded {
		if rest, ok := strings.CutPrefix(l, "→ "); ok {
			lines = append(lines, rest)
		}
	}
	return lines
}

// TestPlayerEras holds that a recording is not played to a server of the other era,
// and that the reason is said.
func TestPlayerEras(t *testing.T) {
	discover := `→ {"jsonrpc":"2.0","id":9,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	refused := `← {"jsonrpc":"2.0","id":9,"error":{"code":-32601,"message":"no discover"}}`
	modern := `← {"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}`
	noInit := `← {"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"only 2026-07-28 here","data":{"supported":["2026-07-28"]}}}`
	for _, c := range []struct {
		name             string
		recorded, server []string
		want             string
	}{
		{"legacy to modern", after("eof"), []string{"→", noInit}, "the recording is of a legacy session (2025-06-18), and this server has no initialize: only 2026-07-28 here"},
		{"probed legacy to modern", append([]string{discover, refused}, after("eof")...), []string{"→", modern, "→", noInit}, "the recording is of a legacy session (2025-06-18), and this server has no initialize: only 2026-07-28 here"},
		{"modern to legacy", []string{discover, modern, "eof"}, []string{"→", refused}, "the recording is of a modern session (2026-07-28), and this server has no server/discover: no discover"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := draw(t, ServerEnd, c.recorded...)[0]
			synctest.Test(t, func(t *testing.T) {
				got, err := Player{}.Play(t.Context(), script, newStandIn(t, c.server))
				if !errors.Is(err, ErrEra) || !strings.HasSuffix(err.Error(), c.want) || got.Found > 0 {
					t.Errorf("%v, and found %d", err, got.Found)
				}
			})
		})
	}
	t.Run("a server of both is another one", func(t *testing.T) {
		script := draw(t, ServerEnd, append([]string{discover, refused}, after("eof")...)...)[0]
		synctest.Test(t, func(t *testing.T) {
			got, err := Player{}.Play(t.Context(), script, newStandIn(t, []string{"→", modern, "→", legacyReply, "→"}))
			if err != nil || len(got.First) != 1 || got.First[0].N != 2 {
				t.Errorf("%v, found %+v", err, got.First)
			}
		})
	})
}

// TestPlayerWaits holds how long is waited for what does not come, and that a
// message is not sent before what its client had seen.
func TestPlayerWaits(t *testing.T) {
	lines := after("→ "+call("1", "a", ""), "+2s", `← {"jsonrpc":"2.0","id":1,"result":{}}`, "+3s", "→ "+call("2", "a", ""), `← {"jsonrpc":"2.0","id":2,"result":{}}`)
	script := draw(t, ServerEnd, lines...)[0]
	reply := func(id, wait string) []string {
		return []string{"→", wait, `← {"jsonrpc":"2.0","id":` + id + `,"result":{}}`}
	}
	for _, c := range []struct {
		name   string
		cfg    Player
		server []string
		took   time.Duration
		code   string
	}{
		{"as fast as it goes", Player{}, after(append(reply("1", "+1s"), reply("2", "+1s")...)...), 2 * time.Second, ""},
		{"as it was", Player{Pace: Recorded}, after(append(reply("1", "+0s"), reply("2", "+0s")...)...), 3 * time.Second, ""},
		{"in vain", Player{Timeout: func(string) time.Duration { return time.Minute }}, after("→"), time.Minute, "missing"},
		{"twice as long as it took", Player{Timeout: func(string) time.Duration { return time.Second }}, after("→"), 4 * time.Second, "missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				got, err := c.cfg.Play(t.Context(), script, newStandIn(t, c.server))
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin).Round(100 * time.Millisecond); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				code := ""
				if len(got.First) > 0 {
					code = got.First[0].Kind.String()
				}
				if code != c.code || code != "" && !got.First[0].TimedOut {
					t.Errorf("found %+v", got.First)
				}
			})
		})
	}
	t.Run("stopped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			if _, err := (Player{}).Play(ctx, script, newStandIn(t, after("→"))); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("it returned %v", err)
			}
		})
	})
}

// A refuser is a standIn over HTTP: "← refuse ID" says that a request gets no response.
type refuser struct {
	*standIn
	refused func(id string, err error)
}

func (r *refuser) OnRefused(refused func(id string, err error)) { r.refused = refused }

func (r *refuser) Read(p []byte) (int, error) {
	for {
		n, err := r.standIn.Read(p)
		id, ok := strings.CutPrefix(strings.TrimSpace(string(p[:n])), "refuse ")
		if !ok {
			return n, err
		}
		r.refused(id, errRefused)
	}
}

var errRefused = errors.New("nobody there")

// TestPlayerRefused holds that a request that is refused is not waited for, and that a server
// that refuses the first one is not played to.
func TestPlayerRefused(t *testing.T) {
	script := draw(t, ServerEnd, after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{}}`, "→ "+call("2", "a", ""), `← {"jsonrpc":"2.0","id":2,"result":{}}`)...)[0]
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		got, err := Player{KeepGoing: true}.Play(t.Context(), script, &refuser{standIn: newStandIn(t, after("→", "← refuse 1", "→", `← {"jsonrpc":"2.0","id":2,"result":{}}`))})
		if err != nil || len(got.First) != 1 || got.First[0].Why != "got no response: nobody there" || got.First[0].TimedOut || time.Since(begin) != 0 {
			t.Errorf("%v after %v: %+v", err, time.Since(begin), got.First)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		if got, err := (Player{}).Play(t.Context(), script, &refuser{standIn: newStandIn(t, []string{"→", "← refuse 0"})}); !errors.Is(err, errRefused) || got.Found > 0 {
			t.Errorf("%v: %+v", err, got.First)
		}
	})
}

// TestPlayerSteps holds that each message is asked for, and that asking can end it.
func TestPlayerSteps(t *testing.T) {
	script := draw(t, ServerEnd, after()...)[0]
	enough := errors.New("enough")
	var asked []string
	cfg := Player{Step: func(_ context.Context, n uint64, what string) error {
		if asked = append(asked, fmt.Sprint(n, " ", what)); n == 3 {
			return enough
		}
		return nil
	}}
	server := newStandIn(t, after())
	if _, err := cfg.Play(t.Context(), script, server); !errors.Is(err, enough) {
		t.Errorf("it returned %v", err)
	}
	if want := []string{"1 initialize (0)", "3 notifications/initialized"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
}

// TestDifferenceText holds that what does not count is not shown either.
func TestDifferenceText(t *testing.T) {
	script := draw(t, ServerEnd, after("→ "+call("1", "a", ""), `← {"jsonrpc":"2.0","id":1,"result":{"n":1,"at":"2026-01-01T00:00:00Z"}}`)...)[0]
	synctest.Test(t, func(t *testing.T) {
		got, err := Player{}.Play(t.Context(), script, newStandIn(t, after("→", `← {"jsonrpc":"2.0","id":1,"result":{"n":2,"at":"2030-01-01T00:00:00Z"}}`)))
		if err != nil || len(got.First) != 1 {
			t.Fatalf("%v, %+v", err, got)
		}
		changes, err := diff.Compare(got.First[0].Old, got.First[0].New)
		if err != nil || len(changes) != 1 || changes[0].Path != ".result.n" {
			t.Errorf("%v: %+v", err, changes)
		}
	})
}
