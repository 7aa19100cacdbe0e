//go:build unix

package path

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"wiretea/session"
)

// otherUser makes everything that belongs to the user somebody else's, for a test.
func otherUser(t *testing.T) {
	uidOffset.Store(1)
	t.Cleanup(func() { uidOffset.Store(0) })
}

// TestGuardPeer checks that a process of another user gets no answer, and that nothing
// of its command is done.
func TestGuardPeer(t *testing.T) {
	f := &fake{}
	path := serve(t, &Server{Control: f})
	otherUser(t)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(`{"op":"end"}` + "\n")) // It may be closed already.
	if answer, _ := io.ReadAll(conn); len(answer) > 0 || f.ended != 0 {
		t.Errorf("another user gets the answer %q, ended %d times", answer, f.ended)
	}
}

// TestGuardLength checks that lines of the socket, and the bytes after them, have a
// limit.
func TestGuardLength(t *testing.T) {
	const limit = 10 << 10
	for n, want := range map[int]error{0: nil, limit - 1: nil, limit: nil, limit + 1: errTooLong, limit + 100: errTooLong, 10 * limit: errTooLong} {
		text := strings.Repeat("x", n)
		line, err := readLine(bufio.NewReader(strings.NewReader(text+"\nmore")), limit)
		if !errors.Is(err, want) || err == nil && string(line) != text {
			t.Errorf("a line of %d bytes: %d bytes, %v; want %v", n, len(line), err, want)
		}
		behind, err := readBehind(bufio.NewReader(strings.NewReader(text+"more")), n, limit)
		if !errors.Is(err, want) || err == nil && string(behind) != text {
			t.Errorf("%d bytes after a line: %d bytes, %v; want %v", n, len(behind), err, want)
		}
	}
	endless := &endless{}
	if _, err := readLine(bufio.NewReader(endless), limit); !errors.Is(err, errTooLong) || endless.n > 2*limit {
		t.Errorf("%d bytes of a line without an end are read, %v", endless.n, err)
	}
	if _, err := readBehind(bufio.NewReader(strings.NewReader("x")), -1, limit); !errors.Is(err, errTooLong) {
		t.Errorf("a negative length: %v", err)
	}
	if _, err := readBehind(bufio.NewReader(strings.NewReader("x")), 2, limit); err == nil {
		t.Error("one byte of two is taken for both")
	}
}

// An endless reader has x without end.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.n += len(p)
	return len(p), nil
}

// TestGuardCommand checks that the server refuses a message that is too long, before it
// comes.
func TestGuardCommand(t *testing.T) {
	path := serve(t, &Server{Control: &fake{send: func(context.Context, []byte) (session.Outcome, error) {
		t.Error("the message is sent")
		return session.Outcome{}, nil
	}}})
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(fmt.Appendf(nil, `{"op":"send","length":%d}`+"\n", MaxMessage+1)); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(conn); err != nil || !strings.Contains(string(answer), "too long") {
		t.Errorf("the answer is %q, %v", answer, err)
	}
}

// TestGuardPlaces checks that commands beyond the limit wait until another is done.
func TestGuardPlaces(t *testing.T) {
	begun, done := make(chan struct{}, maxViewers+1), make(chan struct{})
	path := serve(t, &Server{Control: &fake{send: func(context.Context, []byte) (session.Outcome, error) {
		begun <- struct{}{}
		<-done
		return session.Outcome{}, nil
	}}})
	defer close(done)
	for i := range maxViewers + 1 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := conn.Write([]byte(`{"op":"send","length":1}` + "\nx")); err != nil {
			t.Fatal(err)
		}
		if i < maxViewers {
			<-begun
		}
	}
	select {
	case <-begun:
		t.Fatal("there was a place for one more")
	case <-time.After(50 * time.Millisecond):
	}
	done <- struct{}{}
	<-begun
}
