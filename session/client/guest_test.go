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
}

func (l *lender) Send(ctx context.Context, message []byte) (session.Outcome, error) {
	select {
	case <-l.gone:
		return session.Outcome{}, session.ErrGone
	default:
	}
	l.mu.Lock()
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

func modernGuest() *Guest {
	return &Guest{Speaks: func() (mcp.Era, json.RawMessage) { return mcp.Modern, json.RawMessage(theirs) }}
}

func lentSay(n int, result string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":"w-%d","result":{%s}}`, n, result)
}

// TestGuestLegs holds that a modern request is made again with what is asked for, and that
// without an Asker its answer is what came.
func TestGuestLegs(t *testing.T) {
	const asks = `"resultType":"input_required","requestState":"s 1.0","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}}}`
	meta := strings.Replace(theirMeta, `,"extensions":{"io.modelcontextprotocol/tasks":{}}`, "", 1)
	again := `> {"jsonrpc":"2.0","id":"w-2","method":"tools/call","params":{"name":"n","inputResponses":{"k":{"action":"decline"}},"requestState":"s 1.0",` + meta + `}}`
	call := `> {"jsonrpc":"2.0","id":"w-1","method":"tools/call","params":{"name":"n",` + meta + `}}`
	asker := func() *Guest {
		g := modernGuest()
		g.Asker = after(time.Minute, Decline())
		return g
	}
	lent(t, asker(), lines(call, lentSay(1, asks), again, lentSay(2, `"content":[]`)), func(ctx context.Context, g *Guest, _ *lender) {
		r, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`))
		if err != nil || string(r.Result) != `{"content":[]}` || len(r.Legs) != 2 || r.Legs[0].Asked != time.Minute {
			t.Errorf("%+v, %v", r, err)
		}
	})
	lent(t, modernGuest(), lines(call, lentSay(1, asks)), func(ctx context.Context, g *Guest, _ *lender) {
		if r, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`)); err != nil || string(r.Result) != "{"+asks+"}" {
			t.Errorf("nobody answers: %+v, %v", r, err)
		}
	})
	lent(t, asker(), lines(call, lentSay(1, asks)), func(ctx context.Context, g *Guest, _ *lender) {
		ctx, end := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { end(ErrCancelled) })
		if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`)); !errors.Is(err, ErrCancelled) {
			t.Errorf("given up: %v", err)
		}
	})
	ever := lines(call, lentSay(1, asks))
	for n := 2; n <= maxLegs; n++ {
		ever = lines(ever, strings.Replace(again, "w-2", fmt.Sprintf("w-%d", n), 1), lentSay(n, asks))
	}
	lent(t, asker(), ever, func(ctx context.Context, g *Guest, _ *lender) {
		if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`)); !errors.Is(err, ErrInputRequired) {
			t.Errorf("asked for ever: %v", err)
		}
	})
	refused := modernGuest()
	refused.Asker = AskerFunc(func(context.Context, Question) Answer { return Answer{} })
	lent(t, refused, lines(call, lentSay(1, asks)), func(ctx context.Context, g *Guest, _ *lender) {
		var stuck *InputRequiredError
		if _, err := g.Do(ctx, "tools/call", json.RawMessage(`{"name":"n"}`)); !errors.As(err, &stuck) || stuck.Legs != 1 {
			t.Errorf("refused: %v", err)
		}
	})
}

// TestGuestSpeaks holds what a guest says of its client, and that the tasks extension
// is declared in requests about tasks and nowhere else.
func TestGuestSpeaks(t *testing.T) {
	capable := strings.Replace(theirs, `{"roots":{}}`, `{"roots":{}, "extensions" : {"x":{}, "io.modelcontextprotocol/tasks":{}}}`, 1)
	meta := func(caps string) string {
		return `"_meta":{` + theirVersion + `"io.modelcontextprotocol/clientCapabilities":` + caps + `,` + theirName + `}`
	}
	for _, c := range []struct {
		name, theirs, method, params string
		want                         string
	}{
		{"plain", theirs, "tools/call", `{"name":"n"}`, `{"name":"n",` + meta(`{"roots":{}}`) + `}`},
		{"plain, of a client with tasks", capable, "tools/call", `{"name":"n"}`, `{"name":"n",` + meta(`{"roots":{}, "extensions" : {"x":{}}}`) + `}`},
		{"task", theirs, "tasks/get", `{"name":"n"}`, `{"name":"n",` + theirMeta + `}`},
		{"task, of a client with tasks", capable, "tasks/get", `{"name":"n"}`,
			`{"name":"n",` + meta(`{"roots":{}, "extensions" : {"x":{}, "io.modelcontextprotocol/tasks":{}}}`) + `}`},
		{"task, with words of its own", theirs, "tasks/get", `{"name":"n",` + meta(`{}`) + `}`,
			`{"name":"n",` + meta(`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`) + `}`},
		{"with words of its own", theirs, "tools/call", `{"name":"n",` + theirMeta + `}`, `{"name":"n",` + theirMeta + `}`},
		{"no client known", "", "tasks/get", `{"name":"n"}`, `{"name":"n"}`},
		{"capabilities that are none", strings.Replace(theirs, `{"roots":{}}`, `7`, 1), "tasks/get", `{"name":"n"}`, `{"name":"n",` + meta(`7`) + `}`},
		{"extensions that are none", strings.Replace(theirs, `{"roots":{}}`, `{"extensions":7}`, 1), "tasks/get", `{"name":"n"}`, `{"name":"n",` + meta(`{"extensions":7}`) + `}`},
	} {
		v := identity{modern: true}
		if c.theirs != "" {
			v.request = json.RawMessage(c.theirs)
		}
		got, err := v.message(c.method, json.RawMessage(c.params))
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
