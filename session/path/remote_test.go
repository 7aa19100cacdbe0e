//go:build unix

package path

import (
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// TestRemotePlace holds that a place in another process sees and does what one in this process
// does, and that what it holds is released when its connection ends, however that happens.
func TestRemotePlace(t *testing.T) {
	i := NewInterceptor(InterceptConfig{})
	defer i.Close()
	s := &Server{Interceptor: i}
	c, err := Dial(serve(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), []byte(list)); !errors.Is(err, session.ErrRefused) {
		t.Errorf("a session that accepts no requests: %v", err)
	}
	place, err := c.Intercept(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Intercept(t.Context(), session.Interception{Filter: "lat>1s"}); !errors.Is(err, session.ErrRefused) {
		t.Errorf("a filter that needs the future: %v", err)
	}
	if err := place.Intercept(t.Context(), session.Interception{Filter: "m:tools"}); err != nil {
		t.Fatal(err)
	}
	settled := make(chan session.Ruling, 4)
	hold := func() {
		t.Helper()
		r := i.Decide(session.Carried{Conn: 1, Stream: session.C2S, Text: []byte(echo)})
		if r.Verb != session.Hold {
			t.Fatalf("not held: %+v", r)
		}
		r.Await(func(r session.Ruling, written func()) {
			settled <- r
			written()
		})
	}
	held := func() session.Held {
		t.Helper()
		for range place.Changed() {
			if held := place.State().Held; len(held) > 0 {
				return held[0]
			}
		}
		t.Fatal("the place is closed")
		return session.Held{}
	}
	hold()
	h := held()
	if h.Method != "tools/call" || h.Target != "echo" || h.Size != len(echo) || h.By != "hold: m:tools" || place.State().Own.By != "test" {
		t.Errorf("%+v", place.State())
	}
	if text, err := place.Text(t.Context(), h.ID); err != nil || string(text) != echo {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := place.Text(t.Context(), 99); !errors.Is(err, session.ErrNotHeld) {
		t.Errorf("another text: %v", err)
	}
	long := strings.Repeat("x", 1<<20)
	if err := place.Decide(t.Context(), []uint64{h.ID}, session.Choice{Verb: session.Release, Text: []byte(long)}); err != nil {
		t.Fatal(err)
	}
	if got := <-settled; string(got.Text) != long || !strings.Contains(got.By, "edited and released by test") {
		t.Errorf("%s, %d bytes", got.By, len(got.Text))
	}
	if err := place.Decide(t.Context(), []uint64{h.ID}, session.Choice{Verb: session.Drop}); !errors.Is(err, session.ErrNotHeld) {
		t.Errorf("a second time: %v", err)
	}
	if err := place.SetFaults(t.Context(), []string{"m:x: drop"}); err != nil {
		t.Fatal(err)
	}
	for place.State().Faults == nil {
		<-place.Changed()
	}
	hold()
	held()
	_ = place.Close()
	if got := <-settled; string(got.Text) != echo || !strings.Contains(got.By, "test has left") {
		t.Errorf("%s: %q", got.By, got.Text)
	}
	if err := place.Intercept(t.Context(), session.Interception{}); !errors.Is(err, session.ErrGone) {
		t.Errorf("a closed place: %v", err)
	}
	for range place.Changed() {
		// It ends.
	}
}

// TestPlaceWithoutSense holds that a viewer that says nonsense loses its place, and nothing
// else happens.
func TestPlaceWithoutSense(t *testing.T) {
	i := NewInterceptor(InterceptConfig{})
	defer i.Close()
	path := serve(t, &Server{Interceptor: i})
	for _, text := range []string{"{", "{}", `{"op":"decide","length":-1}`, `{"op":"decide","length":99999999999}`, strings.Repeat("x", maxPlaceRequest+2)} {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte("{\"op\":\"intercept\",\"by\":\"x\"}\n" + text + "\n"))
		if text == "{}" { // That is refused only.
			conn.Close()
			continue
		}
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		buf := make([]byte, 4096)
		for err == nil {
			_, err = conn.Read(buf)
		}
		var late net.Error
		if errors.As(err, &late) && late.Timeout() {
			t.Errorf("%.40q: the connection stays", text)
		}
		conn.Close()
	}
}

// TestHoldDelays holds that while a message is held, others do not wait, not even a moment.
func TestHoldDelays(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("t:echo")
		s.says(s.client, echo)
		began := time.Now()
		for id := range 100 {
			s.says(s.client, asks(id+100, "tools/call", `"name":"other"`))
		}
		synctest.Wait()
		if took := time.Since(began); took > 0 {
			t.Errorf("others took %v", took)
		}
		s.toServer.mu.Lock()
		n := strings.Count(s.toServer.text.String(), "\n")
		s.toServer.mu.Unlock()
		if n != 100 {
			t.Errorf("%d of 100 have passed", n)
		}
	})
}

// FuzzFill holds that a template is filled in or refused, and that one without places for
// values stays as it is.
func FuzzFill(f *testing.F) {
	for _, text := range []string{`{"a":"{{params.name}}"}`, `{"a":{{params.arguments}}}`, `{"a":{"b":{}}}`, `{{`, `"\"{{id}}`, `{{params.arguments.n.1.x}}`, `{{ }}`, `"\{{id}}"`} {
		f.Add([]byte(text), []byte(echo))
	}
	f.Fuzz(func(t *testing.T, template, message []byte) {
		out, err := fillTemplate(template, message, MaxMessage)
		switch {
		case err == nil && !strings.Contains(string(template), "{{") && string(out) != string(template):
			t.Errorf("%q became %q", template, out)
		}
		_, _, _ = answerOf(&session.Choice{Text: template}, message)
	})
}

// FuzzPath holds that whatever text comes, it is held whole or decided on, and that what is
// released is what came.
func FuzzPath(f *testing.F) {
	for _, text := range []string{echo, list, cancel, progress, "[" + echo + "," + list + "]", `{"id":1}`, "[]", "{", `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, fromClient bool) {
		i := NewInterceptor(InterceptConfig{})
		defer i.Close()
		place, err := i.Open("test")
		if err != nil {
			t.Fatal(err)
		}
		if err := place.Intercept(t.Context(), session.Interception{Filter: "d:c2s | d:s2c"}); err != nil {
			t.Fatal(err)
		}
		stream := session.S2C
		if fromClient {
			stream = session.C2S
		}
		r := i.Decide(session.Carried{Conn: 1, Stream: stream, Text: text})
		if r.Verb != session.Hold {
			if r.By != "" {
				t.Errorf("decided by %s", r.By)
			}
			return
		}
		got := session.Ruling{}
		r.Await(func(r session.Ruling, written func()) {
			got = r
			written()
		})
		if err := place.Decide(t.Context(), nil, session.Choice{Verb: session.Release}); err != nil || string(got.Text) != string(text) || len(got.Back) > 0 {
			t.Errorf("%q: released as %+v, %v", text, got, err)
		}
		if n := len(i.entries); n > 0 {
			t.Errorf("%d are left", n)
		}
	})
}
