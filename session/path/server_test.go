//go:build unix

package path

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"wiretea/session"
)

// patience is how long what must come is waited for.
const patience = time.Minute

// A fake is a session.Control that answers what the test says.
type fake struct {
	mu        sync.Mutex
	send      func(ctx context.Context, message []byte) (session.Outcome, error)
	cancelled []string
	ended     int
}

func (f *fake) Send(ctx context.Context, message []byte) (session.Outcome, error) {
	return f.send(ctx, message)
}

func (f *fake) Cancel(_ context.Context, id, reason string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancelled = append(f.cancelled, id+" "+reason)
	return nil
}

func (f *fake) End(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended++
	return session.ErrTooEarly
}

// A length is a Log of which only the size is known.
type length struct {
	mu   sync.Mutex
	n    int64
	grew chan struct{}
}

func (l *length) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *length) grow(n int64) {
	l.mu.Lock()
	l.n += n
	close(l.grew)
	l.grew = make(chan struct{})
	l.mu.Unlock()
}

func (l *length) Wait(ctx context.Context, size int64) error {
	for {
		l.mu.Lock()
		n, grew := l.n, l.grew
		l.mu.Unlock()
		if n > size {
			return nil
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serve starts a Server of its own for the test.
func serve(t *testing.T, s *Server) string {
	t.Helper()
	path := filepath.Join(shortDir(t), "s.sock")
	if err := s.Listen(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return path
}

// shortDir is a folder whose sockets have short paths.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestOverTheSocket(t *testing.T) {
	odd := []byte("{\"a\": 1.0,\t\"\xff\"}")
	f := &fake{send: func(_ context.Context, message []byte) (session.Outcome, error) {
		switch string(message) {
		case "refuse":
			return session.Outcome{}, refuse("because")
		case "slip":
			return session.Outcome{ID: "7"}, ErrForwarded
		case "withdraw":
			return session.Outcome{ID: "7", Withdrawn: true}, session.ErrWithdrawn
		case "other":
			return session.Outcome{}, errors.New("other")
		case "panic":
			panic("at once")
		}
		return session.Outcome{ID: `"x"`, Answer: message}, nil
	}}
	c, err := Dial(serve(t, &Server{Control: f}))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if out, err := c.Send(ctx, odd); err != nil || !bytes.Equal(out.Answer, odd) || out.ID != `"x"` {
		t.Errorf("%+v, %v", out, err)
	}
	if big, err := c.Send(ctx, bytes.Repeat([]byte{'x'}, 5<<20)); err != nil || len(big.Answer) != 5<<20 {
		t.Errorf("%d bytes, %v", len(big.Answer), err)
	}
	if _, err := c.Send(ctx, []byte("refuse")); !errors.Is(err, session.ErrRefused) || err.Error() != "refused: because" {
		t.Errorf("%v", err)
	}
	if out, err := c.Send(ctx, []byte("slip")); !errors.Is(err, ErrForwarded) || out.ID != "7" {
		t.Errorf("%v, %v", out, err)
	}
	if out, err := c.Send(ctx, []byte("withdraw")); !errors.Is(err, session.ErrWithdrawn) || out.ID != "7" || !out.Withdrawn {
		t.Errorf("%v, %v", out, err)
	}
	if _, err := c.Send(ctx, []byte("other")); err == nil || err.Error() != "other" {
		t.Errorf("%v", err)
	}
	if _, err := c.Send(ctx, []byte("panic")); !errors.Is(err, session.ErrGone) {
		t.Errorf("%v", err)
	}
	if err := c.Cancel(ctx, "7", "slow"); err != nil || len(f.cancelled) != 1 || f.cancelled[0] != "7 slow" {
		t.Errorf("%v, %v", f.cancelled, err)
	}
	if err := c.End(ctx); !errors.Is(err, session.ErrTooEarly) || f.ended != 1 {
		t.Errorf("%d, %v", f.ended, err)
	}
}

// TestWithdrawn holds that a command ends with its context, and with its viewer.
func TestWithdrawn(t *testing.T) {
	begun, withdrawn := make(chan struct{}), make(chan struct{}, 2)
	f := &fake{send: func(ctx context.Context, _ []byte) (session.Outcome, error) {
		close(begun)
		<-ctx.Done()
		withdrawn <- struct{}{}
		return session.Outcome{ID: "7"}, ctx.Err()
	}}
	path := serve(t, &Server{Control: f})
	c, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if out, err := c.Send(ctx, nil); !errors.Is(err, context.Canceled) || out.ID != "7" && out.ID != "" {
		t.Errorf("%v, %v", out, err)
	}
	<-withdrawn
	begun = make(chan struct{})
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, `{"op":"send"}`+"\n")
	<-begun
	conn.Close() // The viewer was killed.
	<-withdrawn
}

// TestIdle holds that connections which say nothing, which begin a long message, and which
// are only notified keep no command out, and that the oldest of them give way.
func TestIdle(t *testing.T) {
	s := &Server{Control: &fake{send: func(_ context.Context, message []byte) (session.Outcome, error) {
		return session.Outcome{Answer: message}, nil
	}}, Log: &length{grew: make(chan struct{})}, readTimeout: time.Hour}
	path := serve(t, s)
	var first []net.Conn
	for _, says := range []string{"", `{"op":"send","length":16777216}` + "\n", `{"op":"notify"}` + "\n1\n"} {
		for i := range 200 {
			conn, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, says); err != nil {
				t.Fatal(err)
			}
			if i == 0 && !strings.Contains(says, "send") {
				first = append(first, conn)
			}
		}
		c, err := Dial(path)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := c.Send(t.Context(), []byte("x")); err != nil || string(out.Answer) != "x" {
			t.Errorf("behind %q: %v, %v", says, out, err)
		}
	}
	for _, conn := range first {
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the first connection: %v", err)
		}
	}
}

// TestLongMessages holds that 60 connections, each of which sends almost all of the longest
// message, take memory for two of them.
func TestLongMessages(t *testing.T) {
	path := serve(t, &Server{Control: &fake{}, readTimeout: time.Hour})
	message, written := make([]byte, MaxMessage-1), make(chan struct{}, 60)
	before := heap()
	for range 60 {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			// It fails where the connection is closed before, at the end of the test.
			if _, err := fmt.Fprintf(conn, `{"op":"send","length":%d}`+"\n", MaxMessage); err == nil {
				if _, err := conn.Write(message); err == nil {
					written <- struct{}{}
				}
			}
		}()
	}
	for range maxLong {
		<-written
	}
	// The last bytes may be on their way yet, and the memory that they need.
	if grown := heap() - before; grown < maxLong*MaxMessage/2 || grown > (maxLong+1)*MaxMessage {
		t.Errorf("the connections take %d MiB", grown>>20)
	}
}

// heap returns how many bytes are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestBell(t *testing.T) {
	log := &length{grew: make(chan struct{}), n: 10}
	c, err := Dial(serve(t, &Server{Control: &fake{}, Log: log}))
	if err != nil {
		t.Fatal(err)
	}
	mute, err := c.Notifier() // one that never reads
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	b, err := c.Notifier()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := b.Wait(ctx, 9); err != nil {
		t.Errorf("what is known: %v", err)
	}
	over, now := context.WithCancel(ctx)
	now()
	if err := b.Wait(over, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing has come: %v", err)
	}
	for range 3 {
		size := log.Size()
		go log.grow(5)
		if err := b.Wait(ctx, size); err != nil || log.Size() <= size {
			t.Fatalf("%v at %d", err, log.Size())
		}
	}
	dead := &Server{Control: &fake{}, Log: log}
	c, err = Dial(serve(t, dead))
	if err != nil {
		t.Fatal(err)
	}
	b, err = c.Notifier()
	if err != nil {
		t.Fatal(err)
	}
	dead.Close()
	if err := b.Wait(ctx, 1000); err == nil || ctx.Err() != nil {
		t.Errorf("of a tee that has ended: %v", err)
	}
}

func TestSocketPath(t *testing.T) {
	dir := shortDir(t)
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	sessions := filepath.Join(dir, "sessions")
	path, err := SocketPath(sessions, "0123456789abcdef")
	if err != nil || !strings.HasPrefix(path, filepath.Join(sessions, ".live")+"/") || !strings.HasSuffix(path, "-01234567.sock") {
		t.Errorf("%s, %v", path, err)
	}
	l, err := listen(path)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]fs.FileMode{path: fs.ModeSocket | 0o600, filepath.Dir(path): fs.ModeDir | 0o700} {
		if info, err := os.Lstat(file); err != nil || info.Mode() != want {
			t.Errorf("%s is %v, %v; want %v", file, info.Mode(), err, want)
		}
	}
	l.Close()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}

	// Too long a path goes among the temporary files.
	path, err = SocketPath(filepath.Join(sessions, strings.Repeat("long/", 30)), "0123456789abcdef")
	if err != nil || !strings.HasPrefix(path, filepath.Join(dir, "tmp", "wiretea-")) || len(path) > maxPath {
		t.Errorf("%s, %v", path, err)
	}

	// A folder that somebody else could have made is not trusted, neither of the two.
	temp := filepath.Dir(path)
	for name, spoil := range map[string]func(folder string) error{
		"open to others": func(folder string) error { return os.Chmod(folder, 0o777) },
		"is not a folder": func(folder string) error {
			return errors.Join(os.Remove(folder), os.Symlink(sessions, folder))
		},
	} {
		folder := filepath.Join(dir, "spoilt", ".live")
		if err := errors.Join(os.RemoveAll(filepath.Dir(folder)), os.MkdirAll(folder, 0o700), spoil(folder)); err != nil {
			t.Fatal(err)
		}
		if path, err := SocketPath(filepath.Dir(folder), "0123456789abcdef"); err != nil || filepath.Dir(path) != temp {
			t.Errorf("%s: %s, %v", name, path, err)
		}
		if err := errors.Join(os.RemoveAll(temp), os.Mkdir(temp, 0o700), spoil(temp)); err != nil {
			t.Fatal(err)
		}
		if path, err := SocketPath(filepath.Dir(folder), "0123456789abcdef"); err == nil || strings.Count(err.Error(), name) != 2 {
			t.Errorf("%s: %s, %v", name, path, err)
		}
		if err := os.RemoveAll(temp); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSweep(t *testing.T) {
	dir := shortDir(t)
	at := func(name string, age time.Duration) string {
		path := filepath.Join(dir, name)
		l, err := listen(path)
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		old := time.Now().Add(-age)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dead, young, own := at("dead.sock", time.Hour), at("young.sock", 0), at("own.sock", time.Hour)
	alive := at("alive.sock", time.Hour)
	os.Remove(alive)
	l, err := listen(alive)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	old := time.Now().Add(-time.Hour)
	text := filepath.Join(dir, "text.sock")
	if err := errors.Join(os.Chtimes(alive, old, old), os.WriteFile(text, nil, 0o600), os.Chtimes(text, old, old)); err != nil {
		t.Fatal(err)
	}
	Sweep(own)
	for path, want := range map[string]bool{dead: false, young: true, own: true, alive: true, text: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v", filepath.Base(path), err == nil)
		}
	}
}

// FuzzSocket holds that no bytes of a viewer harm the tee.
func FuzzSocket(f *testing.F) {
	f.Add([]byte(`{"op":"send","length":2}` + "\n{}"))
	f.Add([]byte(`{"op":"notify"}` + "\n5\n-1\nx\n"))
	f.Add([]byte(`{"op":"end"}` + "\n" + `{"op":"withdraw"}`))
	f.Add([]byte("\n\x00{}\n"))
	f.Add([]byte(`{"op":"send","length":999999999}` + "\n"))
	f.Add([]byte(`{"op":"send","length":-1}` + "\n"))
	dir, err := os.MkdirTemp("", "wt")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(dir) })
	keeper := NewInjector(Config{Ready: func(context.Context) error { return session.ErrTooEarly }})
	s := &Server{Control: keeper, Log: &length{grew: make(chan struct{}), n: 10}}
	path := filepath.Join(dir, "s")
	if err := s.Listen(path); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	f.Fuzz(func(t *testing.T, text []byte) {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(patience))
		conn.Write(text)
		conn.(*net.UnixConn).CloseWrite()
		if reply, err := io.ReadAll(conn); err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
			t.Fatalf("%q, %v", reply, err)
		}
	})
}
