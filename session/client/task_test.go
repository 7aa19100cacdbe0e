package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	tasksCaps   = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	taskingCall = `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n","task":{"ttl":60000}}}`
	taskMade    = `< {"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"t","status":"working","ttl":null,"pollInterval":%s}}}`
)

// tasksUp is legacyUp with a server that declares tasks.
var tasksUp = strings.Replace(legacyUp, `"capabilities":{"tools":{}}`, `"capabilities":{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}`, 1)

// doTask runs a call as a task against a server that follows a script, and
// returns what came of it, how long it took and the statuses that were seen.
func doTask(t *testing.T, cfg Config, script string, then func(*Client, *Reply, error)) {
	t.Helper()
	scripted(t, cfg, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
			return
		}
		reply, err := c.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), Options{Task: &TaskOptions{TTL: time.Minute}})
		then(c, reply, err)
	})
}

// poll is an exchange of tasks/get in the legacy era, a while after the one
// before it.
func poll(id int, status string) string {
	return lines(
		fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"t"}}`, id),
		fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"taskId":"t","status":%q,"ttl":null,"pollInterval":3000}}`, id, status))
}

func taskResult(id int, answer string) string {
	return lines(
		fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tasks/result","params":{"taskId":"t"}}`, id),
		fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,%s}`, id, answer))
}

// TestLegacyTask holds the way of a task of 2025-11-25, at the server's pace.
func TestLegacyTask(t *testing.T) {
	script := lines(tasksUp, taskingCall, fmt.Sprintf(taskMade, "2000"),
		poll(3, "working"), poll(4, "working"), poll(5, "completed"), taskResult(6, `"result":{"content":[],"x": 1.0}`))
	doTask(t, Config{Era: Legacy}, script, func(_ *Client, r *Reply, err error) {
		if err != nil || string(r.Result) != `{"content":[],"x": 1.0}` || r.Task == nil || r.Task.Status != "completed" {
			t.Fatalf("got %+v, %v", r, err)
		}
		if took := r.Received.Sub(r.Sent); took != 8*time.Second {
			t.Errorf("took %v", took)
		}
		var legs []string
		for _, l := range r.Legs {
			legs = append(legs, fmt.Sprintf("%s %s %d", l.Method, l.ID, l.Polls))
		}
		if want := []string{"tools/call 2 0", "tasks/get 5 3", "tasks/result 6 0"}; !slices.Equal(legs, want) || !slices.Equal(ids(r), []string{"2", "5", "6"}) {
			t.Errorf("legs %q, ids %q", legs, ids(r))
		}
	})
}

// TestTaskPace holds the bounds of a server's pace.
func TestTaskPace(t *testing.T) {
	for interval, want := range map[string]time.Duration{
		`1`: MinPoll, `-5`: DefaultPoll, `0`: DefaultPoll, `50`: MinPoll, `1500.5`: 1500500 * time.Microsecond,
		`3600000`: MaxPoll, `1e300`: MaxPoll, `"x"`: DefaultPoll, `null`: DefaultPoll,
	} {
		script := lines(tasksUp, taskingCall, fmt.Sprintf(taskMade, interval), poll(3, "completed"), taskResult(4, `"result":{}`))
		doTask(t, Config{Era: Legacy}, script, func(_ *Client, r *Reply, err error) {
			if err != nil || r.Received.Sub(r.Sent) != want {
				t.Errorf("%s: %v, %v", interval, r.Received.Sub(r.Sent), err)
			}
		})
	}
}

// TestTaskEnds holds how tasks end that have no result.
func TestTaskEnds(t *testing.T) {
	made := fmt.Sprintf(taskMade, "1000")
	var rpc *RPCError
	var task *TaskError
	for _, c := range []struct {
		name, script string
		ok           func(*Reply, error) bool
	}{
		{"failed", lines(made, poll(3, "failed"), taskResult(4, `"error":{"code":-7,"message":"m"}`)),
			func(r *Reply, err error) bool { return errors.As(err, &rpc) && rpc.Code == -7 && r.Error != nil }},
		{"cancelled", lines(made, poll(3, "cancelled")),
			func(r *Reply, err error) bool {
				return errors.As(err, &task) && errors.Is(err, ErrTask) && task.Task.Status == "cancelled"
			}},
		{"gone", lines(made, `> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t"}}`,
			`< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such task"}}`),
			func(r *Reply, err error) bool {
				return errors.As(err, &rpc) && rpc.Code == -32602 && r.Task.ID == "t" && r.Result == nil
			}},
		{"no state", lines(made, `> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t"}}`, `< {"jsonrpc":"2.0","id":3,"result":{}}`),
			func(_ *Reply, err error) bool { return errors.Is(err, ErrNoResult) }},
		{"not a task", `< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`,
			func(r *Reply, err error) bool { return err == nil && r.Task == nil && len(r.Legs) == 1 }},
		{"connection", lines(made, "wait 1ms", "eof"),
			func(_ *Reply, err error) bool { return errors.Is(err, ErrClosed) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			doTask(t, Config{Era: Legacy}, lines(tasksUp, taskingCall, c.script), func(_ *Client, r *Reply, err error) {
				if !c.ok(r, err) {
					t.Errorf("got %+v, %v", r, err)
				}
			})
		})
	}
}

// TestTaskNotifications holds that a status that is told is acted upon, and that
// one that is not told is still asked for.
func TestTaskNotifications(t *testing.T) {
	tell := func(status string) string {
		return `< {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"` + status + `","ttl":null,"pollInterval":50000}}`
	}
	t.Run("ended", func(t *testing.T) {
		script := lines(tasksUp, taskingCall, fmt.Sprintf(taskMade, "60000"), "wait 5s", tell("completed"), taskResult(3, `"result":{}`))
		doTask(t, Config{Era: Legacy}, script, func(_ *Client, r *Reply, err error) {
			if err != nil || r.Received.Sub(r.Sent) != 5*time.Second {
				t.Errorf("%v, %v", r.Received.Sub(r.Sent), err)
			}
		})
	})
	t.Run("early", func(t *testing.T) {
		script := lines(tasksUp, taskingCall, tell("completed"), fmt.Sprintf(taskMade, "60000"), taskResult(3, `"result":{}`))
		doTask(t, Config{Era: Legacy}, script, func(_ *Client, r *Reply, err error) {
			if err != nil || r.Received.Sub(r.Sent) > MinPoll {
				t.Errorf("%v, %v", r.Received.Sub(r.Sent), err)
			}
		})
	})
	t.Run("for ever working", func(t *testing.T) {
		// A poll after a minute, however often it is told to go on.
		script := lines(tasksUp, taskingCall, fmt.Sprintf(taskMade, "20000"),
			"wait 15s", tell("working"), "wait 15s", tell("working"), "wait 15s", tell("working"),
			poll(3, "completed"), taskResult(4, `"result":{}`))
		doTask(t, Config{Era: Legacy}, script, func(_ *Client, r *Reply, err error) {
			if err != nil || r.Received.Sub(r.Sent) != MaxPoll {
				t.Errorf("%v, %v", r.Received.Sub(r.Sent), err)
			}
		})
	})
	t.Run("somebody else's", func(t *testing.T) {
		other := strings.Replace(tell("completed"), `"t"`, `"u"`, 1)
		script := lines(tasksUp, taskingCall, fmt.Sprintf(taskMade, "2000"), "wait 1s", other, poll(3, "completed"), taskResult(4, `"result":{}`))
		doTask(t, Config{Era: Legacy}, script, func(_ *Client, r *Reply, err error) {
			if err != nil || r.Received.Sub(r.Sent) != 2*time.Second {
				t.Errorf("%v, %v", r.Received.Sub(r.Sent), err)
			}
		})
	})
}

// TestTaskAsks holds that a legacy task's question is answered while its result
// is waited for.
func TestTaskAsks(t *testing.T) {
	var asked Question
	cfg := Config{Era: Legacy, Form: AskerFunc(func(_ context.Context, q Question) Answer {
		asked = q
		return Decline()
	})}
	related := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}`
	script := lines(strings.Replace(tasksUp, `"capabilities":{},"clientInfo"`, `"capabilities":{"elicitation":{"form":{}}},"clientInfo"`, 1),
		taskingCall, fmt.Sprintf(taskMade, "1000"), poll(3, "input_required"),
		`> {"jsonrpc":"2.0","id":4,"method":"tasks/result","params":{"taskId":"t"}}`,
		`wait 3h`,
		`< {"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?",`+related+`}}`,
		`> {"jsonrpc":"2.0","id":"e","result":{"action":"decline",`+related+`}}`,
		`< {"jsonrpc":"2.0","id":4,"result":{"isError":true}}`)
	doTask(t, cfg, script, func(_ *Client, r *Reply, err error) {
		if err != nil || string(r.Result) != `{"isError":true}` {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	if asked.For != "2" || asked.Task != "t" {
		t.Errorf("asked %+v", asked)
	}
}

// TestTaskCancelled holds that a task is cancelled as one, whenever it is.
func TestTaskCancelled(t *testing.T) {
	run := func(name, up, script string, cfg Config, after time.Duration) {
		t.Run(name, func(t *testing.T) {
			scripted(t, cfg, lines(up, script), func(ctx context.Context, c *Client) {
				if err := c.Handshake(ctx); err != nil {
					t.Error(err)
				}
				time.AfterFunc(after, func() {
					if err := c.Cancel("2"); err != nil {
						t.Error(err)
					}
				})
				_, err := c.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), Options{Task: &TaskOptions{TTL: time.Minute}})
				if !errors.Is(err, ErrCancelled) {
					t.Errorf("got %v", err)
				}
				time.Sleep(time.Minute)
			})
		})
	}
	cancel := func(id int) string {
		return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tasks/cancel","params":{"taskId":"t"}}`, id)
	}
	made := fmt.Sprintf(taskMade, "5000")
	run("between polls", tasksUp, lines(taskingCall, made, cancel(3)), Config{Era: Legacy}, time.Second)
	run("in a poll", tasksUp, lines(taskingCall, made, `> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"cancelled by the user"}}`, cancel(4)), Config{Era: Legacy}, 6*time.Second)
	run("before it was made", tasksUp, lines(taskingCall, "wait 10s", made, cancel(3)), Config{Era: Legacy}, time.Second)
	run("of a server without tasks", legacyUp, lines(taskingCall,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"cancelled by the user"}}`), Config{Era: Legacy}, time.Second)
	modern := `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n",` + metaWith(tasksCaps, "") + `}}`
	run("modern", modernUp, lines(modern,
		`< {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"t","status":"working","ttlMs":null,"pollIntervalMs":5000}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tasks/cancel","params":{"taskId":"t",`+metaWith(tasksCaps, "")+`}}`), Config{}, time.Second)
}

// TestModernTask holds the way of a task of the extension: its questions are
// answered once, and its result comes with its state.
func TestModernTask(t *testing.T) {
	const caps = `{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	m := metaWith(caps, "")
	get := func(id int, state string) string {
		return lines(
			fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"t",%s}}`, id, m),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","taskId":"t","ttlMs":60000,"pollIntervalMs":1000,%s}}`, id, state))
	}
	asks := `"status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}}}`
	begin := lines(modernWith(`{"elicitation":{"form":{}}}`),
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n",`+m+`}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"t","status":"working","ttlMs":60000,"pollIntervalMs":1000}}`)
	update := lines(
		`> {"jsonrpc":"2.0","id":4,"method":"tasks/update","params":{"taskId":"t","inputResponses":{"k":{"action":"accept","content":{"a": 1.0}}},`+m+`}}`,
		`< {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete"}}`)
	for _, c := range []struct {
		name, end string
		ok        func(*Reply, error) bool
	}{
		{"completed", `"status":"completed","result":{"content":[],"x": 1.0}`,
			func(r *Reply, err error) bool { return err == nil && string(r.Result) == `{"content":[],"x": 1.0}` }},
		{"failed", `"status":"failed","error":{"code":-7,"message":"m"}`,
			func(r *Reply, err error) bool {
				var rpc *RPCError
				return errors.As(err, &rpc) && rpc.Code == -7 && r.Error != nil
			}},
		{"cancelled", `"status":"cancelled"`, func(_ *Reply, err error) bool { return errors.Is(err, ErrTask) }},
		{"without a result", `"status":"completed"`, func(_ *Reply, err error) bool { return errors.Is(err, ErrTask) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{Form: after(time.Hour, Accept(json.RawMessage(`{"a": 1.0}`)))}
			script := lines(begin, get(3, asks), update, get(5, asks), get(6, c.end))
			doTask(t, cfg, script, func(_ *Client, r *Reply, err error) {
				if !c.ok(r, err) {
					t.Errorf("got %+v, %v", r, err)
				}
				if len(r.Legs) != 4 || r.Legs[1].Asked != time.Hour || r.Legs[3].Polls != 2 {
					t.Errorf("legs %+v", r.Legs)
				}
			})
		})
	}
}

// TestTaskNotAskedFor holds that the extension is declared only where a task is
// wanted, and that a task that comes anyway is given out as it is.
func TestTaskNotAskedFor(t *testing.T) {
	script := lines(modernUp,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{`+meta+`}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"t","status":"working"}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"t",`+metaWith(tasksCaps, "")+`}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{"taskId":"t","status":"working","statusMessage":"m","ttlMs":5}}`,
		`> {"jsonrpc":"2.0","id":4,"method":"tasks/cancel","params":{"taskId":"t",`+metaWith(tasksCaps, "")+`}}`,
		`< {"jsonrpc":"2.0","id":4,"result":{}}`,
	)
	scripted(t, Config{}, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		if r, err := c.Call(ctx, "tools/call", nil); err != nil || r.Task != nil || len(r.Legs) != 1 {
			t.Errorf("got %+v, %v", r, err)
		}
		if task, err := c.GetTask(ctx, "t"); err != nil || task.Status != "working" || task.Message != "m" || task.TTL != 5*time.Millisecond {
			t.Errorf("got %+v, %v", task, err)
		}
		if _, err := c.CancelTask(ctx, "t"); err != nil {
			t.Error(err)
		}
	})
}

// TestTaskStatus holds that each change of a task's state is told once.
func TestTaskStatus(t *testing.T) {
	script := lines(tasksUp, taskingCall, fmt.Sprintf(taskMade, "1000"), poll(3, "working"), poll(4, "input_required"), taskResult(5, `"result":{}`))
	scripted(t, Config{Era: Legacy}, script, func(ctx context.Context, c *Client) {
		if err := c.Handshake(ctx); err != nil {
			t.Error(err)
		}
		var seen []string
		opts := Options{Task: &TaskOptions{TTL: time.Minute, Status: func(task Task) {
			seen = append(seen, task.Status)
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.byLeg) > 2 {
				t.Errorf("%d requests are remembered", len(c.byLeg)) // a task may be polled for days
			}
		}}}
		if _, err := c.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`), opts); err != nil {
			t.Error(err)
		}
		if !slices.Equal(seen, []string{"working", "input_required"}) {
			t.Errorf("saw %q", seen)
		}
	})
}
