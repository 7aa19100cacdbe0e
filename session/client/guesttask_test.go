package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/session/mcp"
)

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
	if asked.Method != mcp.ElicitationCreate || asked.Key != "k" || asked.Task != "t" || asked.For != `"w-1"` || asked.Era != mcp.Modern {
		t.Errorf("asked %+v", asked)
	}
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
				if took := time.Since(began); took > c.after+2*closingGrace {
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
			if _, err := doLent(ctx, g); !errors.Is(err, ErrCancelled) || time.Since(began) != time.Minute+closingGrace {
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
	for name, task := range map[string]*TaskOptions{"and is never made": {}, "what is not a task": nil} {
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
