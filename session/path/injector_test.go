package path

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
	"wiretea/session/transport"
)

// A scene is a client and a server, both played by the test, with an Injector
// between them.
type scene struct {
	t        *testing.T
	keeper   *Injector
	tap      *transport.Tap
	client   *io.PipeWriter // client is what the client writes.
	got      *sink          // got is what it reads.
	asked    *bufio.Reader  // asked is what the server reads.
	server   *io.PipeWriter // server is what it writes.
	c2s, s2c *transport.Relay
}

// A sink takes everything.
type sink struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sink) Close() error { return nil }

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// play runs a test with a scene whose time is the test's own.
func play(t *testing.T, cfg Config, act func(*scene)) {
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, keeper: NewInjector(cfg), got: &sink{}, tap: transport.NewTap(time.Now(), transport.TapConfig{})}
		var in, out *io.PipeReader
		var stdin *io.PipeWriter
		in, s.client = io.Pipe()
		stdinReader, stdinWriter := io.Pipe()
		stdin, s.asked = stdinWriter, bufio.NewReader(stdinReader)
		out, s.server = io.Pipe()
		s.c2s = &transport.Relay{Tap: s.tap, Conn: 1, Stream: session.C2S, Src: in, Dst: stdin, Gate: s.keeper.Gate()}
		s.s2c = &transport.Relay{Tap: s.tap, Conn: 1, Stream: session.S2C, Src: out, Dst: s.got, Gate: s.keeper.Gate()}
		s.c2s.Start()
		s.s2c.Start()
		act(s)
		s.client.Close()
		s.server.Close()
		stdinReader.Close()
		<-s.c2s.Done()
		<-s.s2c.Done()
		time.Sleep(time.Hour) // Timers that were set have come.
	})
}

// sent is what became of a Send.
type sent struct {
	out session.Outcome
	err error
}

func (s *scene) send(ctx context.Context, text string) <-chan sent {
	done := make(chan sent, 1)
	go func() {
		out, err := s.keeper.Send(ctx, []byte(text))
		done <- sent{out, err}
	}()
	return done
}

// read is the next line that the server reads.
func (s *scene) read() string {
	s.t.Helper()
	line, err := s.asked.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the server reads %q, %v", line, err)
	}
	return strings.ReplaceAll(strings.TrimSuffix(line, "\n"), s.keeper.prefix, "ID")
}

// say has the server write; ID stands for the prefix of our ids.
func (s *scene) say(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.server, strings.ReplaceAll(text, "ID", s.keeper.prefix)); err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
}

func (s *scene) want(what, got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestSendIsAnswered(t *testing.T) {
	play(t, Config{}, func(s *scene) {
		one := s.send(s.t.Context(), `{"jsonrpc":"2.0","id":1,"method":"a","params":{"_meta":{"progressToken":1}}}`)
		s.want("asked", s.read(), `{"jsonrpc":"2.0","id":"ID1","method":"a","params":{"_meta":{"progressToken":"ID1"}}}`)
		two := s.send(s.t.Context(), ping)
		s.want("asked", s.read(), `{"jsonrpc":"2.0","id":"ID2","method":"ping"}`)
		const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"ID1","progress":1}}` + "\n"
		s.say(`{"id":1,"result":{},"jsonrpc":"2.0"}` + "\n" + progress + `{"result":{},"id":"ID2",`)
		s.say(`"jsonrpc":"2.0"}` + "\r\n" + `{"jsonrpc":"2.0","id":5,"method":"roots/list"}` + "\n")
		got := <-two
		s.want("answer", string(got.out.Answer), strings.ReplaceAll(`{"result":{},"id":"ID2","jsonrpc":"2.0"}`, "ID", s.keeper.prefix))
		s.want("id", got.out.ID, `"`+s.keeper.prefix+`2"`)
		s.say(`{"jsonrpc":"2.0","id":"ID1","error":{"code":-1,"message":""}}` + "\n")
		if got := <-one; got.err != nil || !strings.Contains(string(got.out.Answer), "error") {
			t.Errorf("%s, %v", got.out.Answer, got.err)
		}
		time.Sleep(9 * time.Second)
		s.say(progress + "half a li") // late, but taken out
		s.want("the client got", s.got.String(), `{"id":1,"result":{},"jsonrpc":"2.0"}`+"\n"+`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`+"\n")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !strings.HasSuffix(s.got.String(), "\nhalf a li") {
			t.Errorf("ten seconds later the client has %q", s.got)
		}
	})
}

// TestSendWithdraws holds that what is not waited for is withdrawn, and that its
// answer is taken out however late it comes.
func TestSendWithdraws(t *testing.T) {
	play(t, Config{}, func(s *scene) {
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
		defer cancel()
		done := s.send(ctx, ping)
		s.read()
		got := <-done
		if !errors.Is(got.err, context.DeadlineExceeded) || got.out.ID == "" {
			t.Errorf("%v, %v", got.out, got.err)
		}
		s.want("asked", s.read(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ID1","reason":"the user no longer waits"}}`)
		time.Sleep(24 * time.Hour)
		s.say("x\n" + `{"jsonrpc":"2.0","id":"ID1","result":{}}` + "\ny\n")
		s.want("the client got", s.got.String(), "x\ny\n")
	})
}

// cancel has somebody cancel the first request, and returns once the server has read it.
func (s *scene) cancel() {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.keeper.Cancel(s.t.Context(), `"`+s.keeper.prefix+`1"`, "") }()
	s.want("asked", s.read(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ID1"}}`)
	if err := <-done; err != nil {
		s.t.Error(err)
	}
}

// TestCancelEndsSend holds that whoever waits for what somebody has cancelled does so for
// a moment more, and that the server is told once.
func TestCancelEndsSend(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":"ID1","result":{}}` + "\n"
	for name, act := range map[string]func(s *scene, done <-chan sent, leave func()){
		"no answer": func(s *scene, done <-chan sent, _ func()) {
			began := time.Now()
			s.cancel()
			s.cancel()
			if got := <-done; !errors.Is(got.err, session.ErrWithdrawn) || !got.out.Withdrawn || got.out.ID == "" || time.Since(began) != cancelGrace {
				s.t.Errorf("%+v, %v after %v", got.out, got.err, time.Since(began))
			}
			time.Sleep(time.Hour)
			s.say("x\n" + answer + "y\n")
			s.want("the client got", s.got.String(), "x\ny\n")
		},
		"answered anyway": func(s *scene, done <-chan sent, _ func()) {
			s.cancel()
			s.say(answer)
			if got := <-done; got.err != nil || !got.out.Withdrawn || !strings.Contains(string(got.out.Answer), "result") {
				s.t.Errorf("%+v, %v", got.out, got.err)
			}
		},
		"its sender leaves": func(s *scene, done <-chan sent, leave func()) {
			s.cancel()
			leave()
			if got := <-done; !errors.Is(got.err, context.Canceled) {
				s.t.Errorf("%+v, %v", got.out, got.err)
			}
			time.Sleep(time.Hour)
			go io.WriteString(s.client, "next\n")
			s.want("asked", s.read(), "next")
		},
		"no room": func(s *scene, done <-chan sent, _ func()) {
			go io.WriteString(s.client, "in the middle")
			io.ReadFull(s.asked, make([]byte, len("in the middle")))
			synctest.Wait()
			if err := s.keeper.Cancel(s.t.Context(), `"`+s.keeper.prefix+`1"`, ""); !errors.Is(err, session.ErrBusy) {
				s.t.Error(err)
			}
			time.Sleep(time.Hour)
			s.say(answer)
			if got := <-done; got.err != nil || got.out.Withdrawn {
				s.t.Errorf("%+v, %v", got.out, got.err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, Config{}, func(s *scene) {
				ctx, leave := context.WithCancel(s.t.Context())
				defer leave()
				done := s.send(ctx, ping)
				s.read()
				act(s, done, leave)
			})
		})
	}
}

func TestSendFails(t *testing.T) {
	play(t, Config{Ready: func(context.Context) error { return session.ErrTooEarly }}, func(s *scene) {
		if _, err := s.keeper.Send(s.t.Context(), []byte(ping)); !errors.Is(err, session.ErrTooEarly) {
			t.Errorf("too early: %v", err)
		}
		if err := s.keeper.Cancel(s.t.Context(), "1", ""); !errors.Is(err, session.ErrTooEarly) {
			t.Errorf("too early: %v", err)
		}
		if err := s.keeper.End(s.t.Context()); !errors.Is(err, session.ErrRefused) {
			t.Errorf("not ours: %v", err)
		}
	})
	play(t, Config{}, func(s *scene) {
		go io.WriteString(s.client, "in the middle")
		io.ReadFull(s.asked, make([]byte, len("in the middle")))
		synctest.Wait()
		began := time.Now()
		if _, err := s.keeper.Send(s.t.Context(), []byte(ping)); !errors.Is(err, session.ErrBusy) || time.Since(began) != DefaultBusy {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		go io.WriteString(s.client, "\n")
		s.asked.ReadByte()
		done := s.send(s.t.Context(), ping)
		s.read()
		s.server.Close() // The server ends meanwhile.
		if got := <-done; !errors.Is(got.err, session.ErrGone) {
			t.Errorf("%v", got.err)
		}
		s.client.Close()
		<-s.c2s.Done()
		if _, err := s.keeper.Send(s.t.Context(), []byte(ping)); !errors.Is(err, session.ErrGone) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestSendSlips holds that an answer that is too long to be held reaches the
// client, and that its sender is told.
func TestSendSlips(t *testing.T) {
	play(t, Config{Hold: 100}, func(s *scene) {
		done := s.send(s.t.Context(), ping)
		s.read()
		long := `{"jsonrpc":"2.0","result":{"text":"` + strings.Repeat("x", 200) + `"},`
		s.say(long)
		s.want("the client got", s.got.String(), long)
		s.say(`"id":"ID1"}` + "\n")
		if got := <-done; !errors.Is(got.err, ErrForwarded) {
			t.Errorf("%s, %v", got.out.Answer, got.err)
		}
	})
}

// TestEightViewers holds that many may send at once.
func TestEightViewers(t *testing.T) {
	play(t, Config{}, func(s *scene) {
		var work sync.WaitGroup
		ids := make([]string, 8)
		for i := range ids {
			work.Go(func() {
				out, err := s.keeper.Send(s.t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"m%d"}`, i))
				if err != nil || !strings.Contains(string(out.Answer), fmt.Sprintf(`"m%d"`, i)) || !strings.Contains(string(out.Answer), out.ID) {
					t.Errorf("%d got %s, %v", i, out.Answer, err)
				}
				ids[i] = out.ID
			})
		}
		for range ids {
			line := s.read()
			id, method := strings.Split(line, `"`)[7], strings.Split(line, `"`)[11]
			s.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"of":%q}}`+"\n", id, method))
		}
		work.Wait()
		s.want("the client got", s.got.String(), "")
	})
}
