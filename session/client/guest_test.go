package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

// A lender is a session.Control at whose other end a server follows a script. Its
// ids are "w-1", "w-2" and so on; what is not waited for is withdrawn.
type lender struct {
	w    io.Writer
	gone chan struct{} // gone is closed when the server says no more.

	mu        sync.Mutex
	last      int
	waits     map[string]chan []byte
	withdrawn map[string]bool
	busy      int // busy is how many messages find no room.
}

func (l *lender) Send(ctx context.Context, message []byte) (session.Outcome, error) {
	select {
	case <-l.gone:
		return session.Outcome{}, session.ErrGone
	default:
	}
	l.mu.Lock()
	if l.busy > 0 {
		l.busy--
		l.mu.Unlock()
		return session.Outcome{}, fmt.Errorf("%w (5s)", session.ErrBusy)
	}
	l.last++
	out, answer := session.Outcome{ID: fmt.Sprintf(`"w-%d"`, l.last)}, make(chan []byte, 1)
	l.waits[out.ID] = answer
	line := strings.Replace(string(message), `"id":0,`, `"id":`+out.ID+`,`, 1) + "\n"
	_, err := io.WriteString(l.w, line)
	l.mu.Unlock()
	if err != nil {
		return session.Outcome{}, session.ErrGone
	}
	select {
	case out.Answer = <-answer:
		l.mu.Lock()
		out.Withdrawn = l.withdrawn[out.ID]
		l.mu.Unlock()
		if out.Answer == nil {
			return out, session.ErrWithdrawn
		}
		return out, nil
	case <-l.gone:
		return out, fmt.Errorf("%w: no more", session.ErrGone)
	case <-ctx.Done():
		return out, errors.Join(ctx.Err(), l.Cancel(context.Background(), out.ID, ""))
	}
}

func (l *lender) Cancel(_ context.Context, id, _ string) error {
	l.mu.Lock()
	l.withdrawn[id] = true
	l.mu.Unlock()
	time.AfterFunc(time.Second, func() { l.answer(id, nil) })
	_, err := io.WriteString(l.w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+"}}\n")
	return err
}

func (l *lender) End(context.Context) error { return session.ErrRefused }

// read gives the server's answers to those who wait for them.
func (l *lender) read(r io.Reader) {
	defer close(l.gone)
	for in := bufio.NewScanner(r); in.Scan(); {
		var a struct{ ID json.RawMessage }
		_ = json.Unmarshal(in.Bytes(), &a)
		l.answer(string(a.ID), slices.Clone(in.Bytes()))
	}
}

// answer ends the waiting for a request; nil = without an answer.
func (l *lender) answer(id string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer := l.waits[id]; answer != nil {
		answer <- line
		delete(l.waits, id)
	}
}

// lent runs do with a Guest in a session whose server follows a script, as scripted
// does.
func lent(t *testing.T, g *Guest, script string, do func(ctx context.Context, g *Guest, l *lender)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		stdinR, stdinW := io.Pipe()
		stdoutR, stdoutW := io.Pipe()
		l := &lender{w: stdinW, gone: make(chan struct{}), waits: make(map[string]chan []byte), withdrawn: make(map[string]bool)}
		g.Control = l
		go l.read(stdoutR)
		done := make(chan struct{})
		go func() {
			defer close(done)
			follow(t, script, bufio.NewReader(stdinR), stdoutW)
			stdoutW.Close()
		}()
		do(t.Context(), g, l)
		stdinW.Close()
		<-done
		<-l.gone
	})
}

// theirs is a request of the client in whose name a modern guest speaks.
const theirs = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"progressToken":7,` + theirVersion + `"io.modelcontextprotocol/clientCapabilities":{"roots":{}},` + theirName + `}}}`

const (
	theirVersion = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",`
	theirName    = `"io.modelcontextprotocol/clientInfo":{"name":"desk","version":"1.0"}`
	theirMeta    = `"_meta":{` + theirVersion + `"io.modelcontextprotocol/clientCapabilities":{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},` + theirName + `}`
)

func legacyGuest() *Guest {
	return &Guest{Speaks: func() (mcp.Era, json.RawMessage) { return mcp.Legacy, nil }}
}

func modernGuest() *Guest {
	return &Guest{Speaks: func() (mcp.Era, json.RawMessage) { return mcp.Modern, json.RawMessage(theirs) }}
}

// Steps of scripts: a call that becomes a task, and requests about it, by the number
// of the request.
const (
	lentCall = `> {"jsonrpc":"2.0","id":"w-1","method":"tools/call","params":{"name":"n","task":{}}}`
	lentMade = `< {"jsonrpc":"2.0","id":"w-1","result":{"task":{"taskId":"t","status":"working","ttl":null,"pollInterval":2000}}}`

	lentModernCall = `> {"jsonrpc":"2.0","id":"w-1","method":"tools/call","params":{"name":"n",` + theirMeta + `}}`
	lentModernMade = `< {"jsonrpc":"2.0","id":"w-1","result":{"resultType":"task","taskId":"t","status":"working","ttlMs":null,"pollIntervalMs":2000}}`
)

func lentAsk(n int, method string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":"w-%d","method":%q,"params":{"taskId":"t"}}`, n, method)
}

func lentModernAsk(n int, method string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":"w-%d","method":%q,"params":{"taskId":"t",%s}}`, n, method, theirMeta)
}

func lentSay(n int, result string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":"w-%d","result":{%s}}`, n, result)
}

// state is a task's state in either era.
func state(status string) string {
	return `"taskId":"t","status":"` + status + `","pollInterval":2000,"pollIntervalMs":2000`
}

// doLent runs a call as a task in a session of somebody else's.
func doLent(ctx context.Context, g *Guest) (*Reply, error) {
	return g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), &TaskOptions{})
}

// TestGuestTask holds the way of a task in somebody else's session, in either era, to
// each of its ends.
func TestGuestTask(t *testing.T) {
	failed := func(code int64) func(*Reply, error) bool {
		return func(r *Reply, err error) bool {
			var answer *RPCError
			return errors.As(err, &answer) && answer.Code == code && r.Error != nil
		}
	}
	cancelled := func(r *Reply, err error) bool { return errors.Is(err, ErrTask) && r.Task.Status == "cancelled" }
	result := func(r *Reply, err error) bool { return err == nil && string(r.Result) == `{"content":[],"x": 1.0}` }
	for _, c := range []struct {
		name, script string
		guest        func() *Guest
		took         time.Duration
		ok           func(*Reply, error) bool
	}{
		{"legacy", lines(lentCall, lentMade, lentAsk(2, "tasks/get"), lentSay(2, state("working")), lentAsk(3, "tasks/get"), lentSay(3, state("completed")),
			lentAsk(4, "tasks/result"), "wait 1s", lentSay(4, `"content":[],"x": 1.0`)), legacyGuest, 5 * time.Second, result},
		{"legacy, failed", lines(lentCall, lentMade, lentAsk(2, "tasks/get"), lentSay(2, state("failed")),
			lentAsk(3, "tasks/result"), `< {"jsonrpc":"2.0","id":"w-3","error":{"code":-7,"message":"m"}}`), legacyGuest, 2 * time.Second, failed(-7)},
		{"legacy, cancelled", lines(lentCall, lentMade, lentAsk(2, "tasks/get"), lentSay(2, state("cancelled"))), legacyGuest, 2 * time.Second, cancelled},
		{"legacy, its client asked", lines(lentCall, lentMade, lentAsk(2, "tasks/get"), lentSay(2, state("input_required")),
			lentAsk(3, "tasks/result"), "wait 3h", lentSay(3, `"content":[],"x": 1.0`)), legacyGuest, 2*time.Second + 3*time.Hour, result},
		{"legacy, no task", lines(lentCall, lentSay(1, `"content":[],"x": 1.0`)), legacyGuest, 0, result},
		{"legacy, no pace", lines(lentCall, lentSay(1, `"task":{"taskId":"t","status":"working"}`), lentAsk(2, "tasks/get"), lentSay(2, state("cancelled"))),
			legacyGuest, DefaultPoll, cancelled},
		{"modern", lines(lentModernCall, lentModernMade, lentModernAsk(2, "tasks/get"), lentSay(2, state("working")),
			lentModernAsk(3, "tasks/get"), lentSay(3, state("completed")+`,"result":{"content":[],"x": 1.0}`)), modernGuest, 4 * time.Second, result},
		{"modern, failed", lines(lentModernCall, lentModernMade, lentModernAsk(2, "tasks/get"),
			lentSay(2, state("failed")+`,"error":{"code":-7,"message":"m"}`)), modernGuest, 2 * time.Second, failed(-7)},
		{"modern, cancelled", lines(lentModernCall, lentModernMade, lentModernAsk(2, "tasks/get"), lentSay(2, state("cancelled"))), modernGuest, 2 * time.Second, cancelled},
		{"modern, no task", lines(lentModernCall, lentSay(1, `"content":[],"x": 1.0`)), modernGuest, 0, result},
	} {
		t.Run(c.name, func(t *testing.T) {
			lent(t, c.guest(), c.script, func(ctx context.Context, g *Guest, _ *lender) {
				began := time.Now()
				r, err := doLent(ctx, g)
				if !c.ok(r, err) || time.Since(began) != c.took {
					t.Errorf("got %+v, %v after %v", r, err, time.Since(began))
				}
			})
		})
	}
}

// TestGuestTaskAsks holds that what a modern task asks is answered where somebody
// does, once, and that it is polled on where nobody does.
func TestGuestTaskAsks(t *testing.T) {
	asks := state("input_required") + `,"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}}}`
	begin := lines(lentModernCall, lentModernMade, lentModernAsk(2, "tasks/get"), lentSay(2, asks))
	done := state("completed") + `,"result":{}`
	g := modernGuest()
	lent(t, g, lines(begin, lentModernAsk(3, "tasks/get"), lentSay(3, asks), lentModernAsk(4, "tasks/get"), lentSay(4, done)), func(ctx context.Context, g *Guest, _ *lender) {
		if r, err := doLent(ctx, g); err != nil || string(r.Result) != "{}" {
			t.Errorf("nobody answers: %+v, %v", r, err)
		}
	})
	var asked Question
	g = modernGuest()
	g.Asker = AskerFunc(func(_ context.Context, q Question) Answer { asked = q; return Decline() })
	update := strings.Replace(lentModernAsk(3, "tasks/update"), `"taskId":"t",`, `"taskId":"t","inputResponses":{"k":{"action":"decline"}},`, 1)
	lent(t, g, lines(begin, update, lentSay(3, ""), lentModernAsk(4, "tasks/get"), lentSay(4, asks), lentModernAsk(5, "tasks/get"), lentSay(5, done)), func(ctx context.Context, g *Guest, _ *lender) {
		if r, err := doLent(ctx, g); err != nil || string(r.Result) != "{}" {
			t.Errorf("answered: %+v, %v", r, err)
		}
	})
	if asked.Method != ElicitationMethod || asked.Key != "k" || asked.Task != "t" || asked.For != `"w-1"` || asked.Era != mcp.Modern {
		t.Errorf("asked %+v", asked)
	}
}

// TestGuestLegs holds that a modern request is made again with what is asked for, also
// where it is to become a task, and that without an Asker its answer is what came.
func TestGuestLegs(t *testing.T) {
	const asks = `"resultType":"input_required","requestState":"s 1.0","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}}}`
	again := func(tasks bool) string {
		meta := theirMeta
		if !tasks {
			meta = strings.Replace(meta, `,"extensions":{"io.modelcontextprotocol/tasks":{}}`, "", 1)
		}
		return `> {"jsonrpc":"2.0","id":"w-2","method":"tools/call","params":{"name":"n","inputResponses":{"k":{"action":"decline"}},"requestState":"s 1.0",` + meta + `}}`
	}
	call := strings.Replace(lentModernCall, `,"extensions":{"io.modelcontextprotocol/tasks":{}}`, "", 1)
	asker := func() *Guest {
		g := modernGuest()
		g.Asker = after(time.Minute, Decline())
		return g
	}
	lent(t, asker(), lines(call, lentSay(1, asks), again(false), lentSay(2, `"content":[]`)), func(ctx context.Context, g *Guest, _ *lender) {
		r, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), nil)
		if err != nil || string(r.Result) != `{"content":[]}` || len(r.Legs) != 2 || r.Legs[0].Asked != time.Minute {
			t.Errorf("%+v, %v", r, err)
		}
	})
	lent(t, asker(), lines(lentModernCall, lentSay(1, asks), again(true), strings.Replace(lentModernMade, "w-1", "w-2", 1),
		lentModernAsk(3, "tasks/get"), lentSay(3, state("completed")+`,"result":{"content":[]}`)), func(ctx context.Context, g *Guest, _ *lender) {
		if r, err := doLent(ctx, g); err != nil || string(r.Result) != `{"content":[]}` || len(r.Legs) != 3 {
			t.Errorf("as a task: %+v, %v", r, err)
		}
	})
	lent(t, modernGuest(), lines(call, lentSay(1, asks)), func(ctx context.Context, g *Guest, _ *lender) {
		if r, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), nil); err != nil || string(r.Result) != "{"+asks+"}" {
			t.Errorf("nobody answers: %+v, %v", r, err)
		}
	})
	lent(t, asker(), lines(call, lentSay(1, asks)), func(ctx context.Context, g *Guest, _ *lender) {
		ctx, end := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { end(ErrCancelled) })
		if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), nil); !errors.Is(err, ErrCancelled) {
			t.Errorf("given up: %v", err)
		}
	})
	ever := lines(call, lentSay(1, asks))
	for n := 2; n <= maxLegs; n++ {
		ever = lines(ever, strings.Replace(again(false), "w-2", fmt.Sprintf("w-%d", n), 1), lentSay(n, asks))
	}
	lent(t, asker(), ever, func(ctx context.Context, g *Guest, _ *lender) {
		if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), nil); !errors.Is(err, ErrInputRequired) {
			t.Errorf("asked for ever: %v", err)
		}
	})
	refused := modernGuest()
	refused.Asker = AskerFunc(func(context.Context, Question) Answer { return Answer{} })
	lent(t, refused, lines(call, lentSay(1, asks)), func(ctx context.Context, g *Guest, _ *lender) {
		var stuck *InputRequiredError
		if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), nil); !errors.As(err, &stuck) || stuck.Legs != 1 {
			t.Errorf("refused: %v", err)
		}
	})
}

// TestGuestTaskGivenUp holds that a task is cancelled whenever it is given up, and
// that nothing is asked afterwards.
func TestGuestTaskGivenUp(t *testing.T) {
	const withdrawn = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w-%d"}}`
	made := lines(lentCall, lentMade)
	for _, c := range []struct {
		name, script string
		guest        func() *Guest
		after        time.Duration
	}{
		{"between polls", lines(made, lentAsk(2, "tasks/cancel"), lentSay(2, state("cancelled"))), legacyGuest, time.Second},
		{"in a poll", lines(made, lentAsk(2, "tasks/get"), fmt.Sprintf(withdrawn, 2), lentAsk(3, "tasks/cancel"), lentSay(3, state("cancelled"))), legacyGuest, 3 * time.Second},
		{"before it is made", lines(lentCall, "wait 1500ms", lentMade, lentAsk(2, "tasks/cancel"), lentSay(2, state("cancelled"))), legacyGuest, time.Second},
		{"and is never made", lines(lentCall, fmt.Sprintf(withdrawn, 1)), legacyGuest, time.Second},
		{"and nobody says anything", lines(made, lentAsk(2, "tasks/cancel"), fmt.Sprintf(withdrawn, 2)), legacyGuest, time.Second},
		{"modern", lines(lentModernCall, lentModernMade, lentModernAsk(2, "tasks/cancel"), lentSay(2, "")), modernGuest, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			lent(t, c.guest(), c.script, func(ctx context.Context, g *Guest, _ *lender) {
				ctx, end := context.WithCancelCause(ctx)
				time.AfterFunc(c.after, func() { end(ErrCancelled) })
				began := time.Now()
				if _, err := doLent(ctx, g); !errors.Is(err, ErrCancelled) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took > c.after+2*lastWords {
					t.Errorf("it took %v", took)
				}
				time.Sleep(time.Hour) // nobody polls any more
			})
		})
	}
	lent(t, legacyGuest(), "", func(ctx context.Context, g *Guest, _ *lender) {
		ctx, end := context.WithCancelCause(ctx)
		end(ErrCancelled)
		if _, err := doLent(ctx, g); !errors.Is(err, ErrCancelled) {
			t.Errorf("given up before it is sent: %v", err)
		}
	})
}

// TestGuestCancelsTask holds that a person who cancels is heard at once in the legacy
// era, and by the next poll in the modern one.
func TestGuestCancelsTask(t *testing.T) {
	cancel := func(ctx context.Context, t *testing.T, g *Guest) {
		time.Sleep(time.Second)
		if !g.Following("t") {
			t.Error("it is not followed")
		}
		if err := g.CancelTask(ctx, "t"); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name, script string
		guest        func() *Guest
		took         time.Duration
	}{
		{"legacy", lines(lentCall, lentMade, lentAsk(2, "tasks/cancel"), lentSay(2, state("cancelled"))), legacyGuest, time.Second},
		{"modern", lines(lentModernCall, lentModernMade, lentModernAsk(2, "tasks/cancel"), lentSay(2, ""),
			lentModernAsk(3, "tasks/get"), lentSay(3, state("cancelled"))), modernGuest, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			lent(t, c.guest(), c.script, func(ctx context.Context, g *Guest, _ *lender) {
				var person sync.WaitGroup
				person.Go(func() { cancel(ctx, t, g) })
				began := time.Now()
				if r, err := doLent(ctx, g); !errors.Is(err, ErrTask) || r.Task.Status != "cancelled" || time.Since(began) != c.took {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				person.Wait()
				if g.Following("t") {
					t.Error("it is followed still")
				}
			})
		})
	}
	t.Run("who waits for its result", func(t *testing.T) {
		script := lines(lentCall, lentMade, lentAsk(2, "tasks/get"), lentSay(2, state("input_required")), lentAsk(3, "tasks/result"),
			lentAsk(4, "tasks/cancel"), lentSay(4, state("cancelled")), `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w-3"}}`)
		lent(t, legacyGuest(), script, func(ctx context.Context, g *Guest, _ *lender) {
			time.AfterFunc(time.Minute, func() {
				if err := g.CancelTask(ctx, "t"); err != nil {
					t.Error(err)
				}
			})
			began := time.Now()
			if _, err := doLent(ctx, g); !errors.Is(err, ErrCancelled) || time.Since(began) != time.Minute+lastWords {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
		})
	})
	t.Run("before it is made", func(t *testing.T) {
		script := lines(lentCall, `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w-1"}}`,
			lentMade, lentAsk(2, "tasks/cancel"), lentSay(2, state("cancelled")))
		lent(t, legacyGuest(), script, func(ctx context.Context, g *Guest, l *lender) {
			time.AfterFunc(time.Second, func() {
				if err := l.Cancel(ctx, `"w-1"`, ""); err != nil {
					t.Error(err)
				}
			})
			if _, err := doLent(ctx, g); !errors.Is(err, ErrCancelled) {
				t.Errorf("got %v", err)
			}
		})
	})
	for name, task := range map[string]*TaskOptions{"and is never made": {}, "what is no task": nil} {
		t.Run(name, func(t *testing.T) {
			script := lines(lentCall, `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w-1"}}`)
			if task == nil {
				script = strings.Replace(script, `,"task":{}`, "", 1)
			}
			lent(t, legacyGuest(), script, func(ctx context.Context, g *Guest, l *lender) {
				time.AfterFunc(time.Second, func() { _ = l.Cancel(ctx, `"w-1"`, "") })
				began := time.Now()
				if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), task); !errors.Is(err, ErrCancelled) || time.Since(began) != 2*time.Second {
					t.Errorf("got %v after %v", err, time.Since(began))
				}
			})
		})
	}
}

// TestGuestTaskFails holds what becomes of a task whose server, or the way to it,
// fails.
func TestGuestTaskFails(t *testing.T) {
	lent(t, legacyGuest(), lines(lentCall, lentMade, "wait 1s", "eof"), func(ctx context.Context, g *Guest, _ *lender) {
		if _, err := doLent(ctx, g); !errors.Is(err, session.ErrGone) {
			t.Errorf("gone: %v", err)
		}
	})
	lent(t, legacyGuest(), lines(lentCall, lentMade, lentAsk(2, "tasks/get"), lentSay(2, state("cancelled"))), func(ctx context.Context, g *Guest, l *lender) {
		began := time.Now()
		time.AfterFunc(time.Second, func() {
			l.mu.Lock()
			l.busy = 3
			l.mu.Unlock()
		})
		if _, err := doLent(ctx, g); !errors.Is(err, ErrTask) || time.Since(began) != 5*time.Second {
			t.Errorf("busy for a while: %v after %v", err, time.Since(began))
		}
	})
	lent(t, legacyGuest(), lines(lentCall, lentMade), func(ctx context.Context, g *Guest, l *lender) {
		time.AfterFunc(time.Second, func() {
			l.mu.Lock()
			l.busy = 1000
			l.mu.Unlock()
		})
		if _, err := doLent(ctx, g); !errors.Is(err, session.ErrBusy) {
			t.Errorf("busy for ever: %v", err)
		}
	})
	g := legacyGuest()
	g.Timeout = func(string) time.Duration { return 9 * time.Second }
	lent(t, g, lines(lentCall, lentMade, lentAsk(2, "tasks/get"), `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w-2"}}`), func(ctx context.Context, g *Guest, _ *lender) {
		var late *TimeoutError
		if _, err := doLent(ctx, g); !errors.As(err, &late) || late.Method != "tasks/get" || late.After != 9*time.Second {
			t.Errorf("silent: %v", err)
		}
	})
}

// TestGuestSpeaks holds what a guest says of its client, and that the tasks extension
// is declared where a task is meant and nowhere else.
func TestGuestSpeaks(t *testing.T) {
	capable := strings.Replace(theirs, `{"roots":{}}`, `{"roots":{}, "extensions" : {"x":{}, "io.modelcontextprotocol/tasks":{}}}`, 1)
	meta := func(caps string) string {
		return `"_meta":{` + theirVersion + `"io.modelcontextprotocol/clientCapabilities":` + caps + `,` + theirName + `}`
	}
	for _, c := range []struct {
		name, theirs, method, params string
		tasks                        bool
		want                         string
	}{
		{"plain", theirs, "tools/call", `{"name":"n"}`, false, `{"name":"n",` + meta(`{"roots":{}}`) + `}`},
		{"plain, of a client with tasks", capable, "tools/call", `{"name":"n"}`, false, `{"name":"n",` + meta(`{"roots":{}, "extensions" : {"x":{}}}`) + `}`},
		{"task", theirs, "tools/call", `{"name":"n"}`, true, `{"name":"n",` + theirMeta + `}`},
		{"task, of a client with tasks", capable, "tools/call", `{"name":"n"}`, true,
			`{"name":"n",` + meta(`{"roots":{}, "extensions" : {"x":{}, "io.modelcontextprotocol/tasks":{}}}`) + `}`},
		{"task, with words of its own", theirs, "tools/call", `{"name":"n",` + meta(`{}`) + `}`, true,
			`{"name":"n",` + meta(`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`) + `}`},
		{"with words of its own", theirs, "tools/call", `{"name":"n",` + theirMeta + `}`, false, `{"name":"n",` + theirMeta + `}`},
		{"no client known", "", "tools/call", `{"name":"n"}`, true, `{"name":"n"}`},
		{"capabilities that are none", strings.Replace(theirs, `{"roots":{}}`, `7`, 1), "tools/call", `{"name":"n"}`, true, `{"name":"n",` + meta(`7`) + `}`},
		{"extensions that are none", strings.Replace(theirs, `{"roots":{}}`, `{"extensions":7}`, 1), "tools/call", `{"name":"n"}`, true, `{"name":"n",` + meta(`{"extensions":7}`) + `}`},
	} {
		v := voice{modern: true}
		if c.theirs != "" {
			v.request = json.RawMessage(c.theirs)
		}
		got, err := v.message(c.method, json.RawMessage(c.params), c.tasks)
		if want := `{"jsonrpc":"2.0","id":0,"method":"` + c.method + `","params":` + c.want + `}`; err != nil || string(got) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.name, err, got, want)
		}
	}
	if got, err := modernGuest().Message("tasks/get", taskParams("t")); err != nil || string(got) != `{"jsonrpc":"2.0","id":0,"method":"tasks/get","params":{"taskId":"t",`+theirMeta+`}}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := modernGuest().Message("notifications/cancelled", json.RawMessage(`{"requestId":1}`)); err != nil || string(got) != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := modernGuest().Message("tools/call", json.RawMessage(`{`)); err == nil {
		t.Error("what is no JSON was made a message")
	}
}
