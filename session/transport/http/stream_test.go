package http

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"wiretea/session"
)

// receive returns what comes from a channel.
func receive[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		t.Fatalf("%s: nothing", what)
		panic("unreachable")
	}
}

// TestEventsAsTheyCome holds that the client gets each part of an event before the server
// sends the next one, however it is cut.
func TestEventsAsTheyCome(t *testing.T) {
	parts := []string{": hello\n\n", "retry: 5\n", "\n", "da", "ta: {}", "\n\n", "data: 1\n\ndata: 2\r\n\r\n", "data: cut"}
	for _, coding := range []string{"", "identity"} {
		next := make(chan string)
		server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			if coding != "" {
				w.Header().Set("Content-Encoding", coding)
			}
			w.(http.Flusher).Flush()
			for part := range next {
				io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
		})
		w := newWitness(t)
		p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
		res, err := newClient(t).Get(p.URL("")) // The head comes before the body.
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		for _, part := range parts {
			next <- part
			got := make([]byte, len(part))
			if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != part {
				t.Fatalf("got %q, %v, want %q", got, err, part)
			}
			want += part
			w.wait(1, part, func(s *seen) bool { return string(s.bodies[session.S2C]) == want })
		}
		close(next)
		if rest, err := io.ReadAll(res.Body); len(rest) > 0 || err != nil {
			t.Errorf("at the end %q, %v", rest, err)
		}
		res.Body.Close()
		if end := w.whole(1).event("end"); end.Why != "eof" {
			t.Errorf("end %+v", end)
		}
	}
}

// TestPartsAsTheyCome holds that the first bytes of a response with a length, or in chunks,
// reach the client before the server sends more, and before it breaks off.
func TestPartsAsTheyCome(t *testing.T) {
	for _, length := range []string{"", "4"} {
		for _, breaks := range []bool{false, true} {
			read := make(chan bool)
			s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				if length != "" {
					w.Header().Set("Content-Length", length)
				}
				w.Header().Set("Content-Type", "application/json")
				for i, part := range []string{"[1", ",2"} {
					_, _ = io.WriteString(w, part)
					_ = http.NewResponseController(w).Flush()
					if breaks && i == 0 {
						panic(http.ErrAbortHandler)
					}
					if i == 0 {
						<-read
					}
				}
			})
			p := startProxy(t, newWitness(t), ProxyConfig{}, s.URL)
			res, err := newClient(t).Get(p.URL(""))
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 2)
			if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != "[1" {
				t.Errorf("length %q, breaks %t: got %q, %v", length, breaks, got, err)
			}
			if !breaks {
				read <- true
			}
			if rest, err := io.ReadAll(res.Body); (err != nil) != breaks || !breaks && string(rest) != ",2" {
				t.Errorf("length %q, breaks %t: then %q, %v", length, breaks, rest, err)
			}
			res.Body.Close()
		}
	}
}

// TestClientGoes holds that a client's disconnect reaches the server, whatever the state
// of the round trip.
func TestClientGoes(t *testing.T) {
	for _, when := range []string{"before the response", "in a stream", "in its own body", "in its own long body"} {
		t.Run(when, func(t *testing.T) {
			arrived, gone := make(chan bool, 1), make(chan bool, 1)
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				if when == "in a stream" {
					w.Header().Set("Content-Type", "text/event-stream")
					io.WriteString(w, "data: 1\n\n")
					w.(http.Flusher).Flush()
				}
				if strings.Contains(when, "long") {
					io.CopyN(io.Discard, r.Body, 1000)
					arrived <- true
					_, err := io.Copy(io.Discard, r.Body)
					gone <- err != nil
					return
				}
				io.Copy(io.Discard, r.Body)
				arrived <- true
				<-r.Context().Done()
				gone <- true
			})
			w := newWitness(t)
			p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
			c, err := net.Dial("tcp", p.Addr())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			length := 2
			switch when {
			case "in its own body":
				length = 10
			case "in its own long body":
				length = 2 * maxWhole
			}
			fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: 1\r\nContent-Length: %d\r\n\r\n{}", length)
			switch when {
			case "in its own body":
				w.wait(1, "body", func(s *seen) bool { return len(s.bodies[session.C2S]) == 2 })
			case "in its own long body":
				c.Write(make([]byte, 5000))
				receive(t, "request", arrived)
			case "in a stream":
				receive(t, "request", arrived)
				readHead(t, bufio.NewReader(c))
			default:
				receive(t, "request", arrived)
			}
			c.Close()
			if length != 10 && !receive(t, "disconnect", gone) {
				t.Error("the server took the body for whole")
			}
			s := w.whole(1)
			if end := s.event("end"); end.Why != "client" || s.event("err").Why != "" {
				t.Errorf("got %+v", s.events)
			}
			if length == 10 && s.event("conn").Event != "" {
				t.Error("half a body reached the server")
			}
		})
	}
}

// TestServerGoes holds that a server's disconnect reaches the client, with all bytes that
// came before.
func TestServerGoes(t *testing.T) {
	for _, test := range []struct{ answer, want, why string }{
		{"", "", "server"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "abc", "server"},
		{"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n9\r\ndata", "data: 1\n\ndata", "server"},
	} {
		url := startTCP(t, func(c net.Conn, in *bufio.Reader) {
			readHead(t, in)
			io.CopyN(io.Discard, in, 2)
			io.WriteString(c, test.answer)
		})
		w := newWitness(t)
		p := startProxy(t, w, ProxyConfig{}, url+"/mcp")
		answer := exchange(t, p, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
		body := ""
		if res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil); err == nil {
			b, err := io.ReadAll(res.Body)
			if body = string(b); err == nil {
				t.Errorf("%q ends as if it was whole", answer)
			}
		}
		if body != test.want || test.answer == "" && answer != "" {
			t.Errorf("got %q, want %q", answer, test.want)
		}
		if s := w.whole(1); s.event("end").Why != test.why || s.event("err").Why == "" {
			t.Errorf("got %+v", s.events)
		}
	}
}

// TestProxyCloses holds that what the proxy ends is not said to be the client's doing.
func TestProxyCloses(t *testing.T) {
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	w := newWitness(t)
	p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
	res, err := newClient(t).Get(p.URL(""))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the stream ended without an error")
	}
	if end := w.whole(1).event("end"); end.Why != "wiretea" {
		t.Errorf("end %+v", end)
	}
}

// TestEarlyResponse holds that a response that comes before the request's body was read
// arrives whole.
func TestEarlyResponse(t *testing.T) {
	refusal := strings.Repeat("too large ", 1000)
	for _, length := range []int{2 * maxWhole, -1} {
		url := startTCP(t, func(c net.Conn, in *bufio.Reader) {
			readHead(t, in)
			fmt.Fprintf(c, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(refusal), refusal)
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, in)
		})
		w := newWitness(t)
		p := startProxy(t, w, ProxyConfig{}, url+"/mcp")
		c, err := net.Dial("tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(patience))
		if length > 0 {
			fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\nx", length)
		} else {
			chunk := strings.Repeat("x", 1<<20)
			fmt.Fprint(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range maxWhole>>20 + 1 {
				fmt.Fprintf(c, "100000\r\n%s\r\n", chunk)
			}
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); string(body) != refusal || res.StatusCode != 413 {
			t.Errorf("%d, %d bytes, %v", res.StatusCode, len(body), err)
		}
		c.Close()
		if s := w.whole(1); string(s.bodies[session.S2C]) != refusal {
			t.Errorf("%d bytes are recorded", len(s.bodies[session.S2C]))
		}
	}
}

// TestLongBodies holds that bodies of 100 MB pass both ways at once, unaltered and in
// little memory.
func TestLongBodies(t *testing.T) {
	const size = 100 << 20
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(200)
		buf := make([]byte, 64<<10)
		io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r.Body}, buf)
	})
	w := newWitness(t)
	recorded := struct { // recorded is what the tap has of both bodies.
		h [2]hash.Hash
		n [2]int64
	}{h: [2]hash.Hash{sha256.New(), sha256.New()}}
	w.sums = func(_ int, s session.Stream, data []byte) {
		recorded.h[s].Write(data)
		recorded.n[s] += int64(len(data))
	}
	p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
	sent, got := sha256.New(), sha256.New()
	body := io.TeeReader(io.LimitReader(&pattern{}, size), sent)
	req, _ := http.NewRequest("POST", p.URL(""), struct{ io.Reader }{body})
	res, err := newClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(got, res.Body)
	res.Body.Close()
	if err != nil || n != size || !bytes.Equal(sent.Sum(nil), got.Sum(nil)) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	s := w.whole(1)
	for i := range recorded.h {
		if s.lost[i]+recorded.n[i] != size {
			t.Errorf("stream %d: %d bytes are recorded, %d missing", i, recorded.n[i], s.lost[i])
		}
		if s.lost[i] == 0 && !bytes.Equal(recorded.h[i].Sum(nil), sent.Sum(nil)) {
			t.Errorf("stream %d is recorded otherwise", i)
		}
	}
	if held := p.held.Load(); held > maxHeld {
		t.Errorf("%d bytes are held", held)
	}
}

// A pattern is an endless reader of bytes that differ from place to place.
type pattern struct{ at int }

// patternBlock is repeated; its length is a prime.
var patternBlock = sync.OnceValue(func() []byte {
	block, n := make([]byte, 1048573), uint64(1)
	for i := range block {
		n = n*6364136223846793005 + 1442695040888963407
		block[i] = byte(n >> 56)
	}
	return block
})

func (p *pattern) Read(b []byte) (int, error) {
	n := copy(b, patternBlock()[p.at:])
	p.at = (p.at + n) % len(patternBlock())
	return n, nil
}

// TestManyBodies holds that bodies that exceed what is held stream instead.
func TestManyBodies(t *testing.T) {
	release := make(chan bool)
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		<-release
		fmt.Fprint(w, n)
	})
	w := newWitness(t)
	w.sums = func(int, session.Stream, []byte) {}
	p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
	c := newClient(t)
	const n, size = 8, maxWhole - 1
	answers := make(chan string, n)
	for range n {
		go func() {
			res, err := c.Post(p.URL(""), "application/json", bytes.NewReader(make([]byte, size)))
			if err != nil {
				answers <- err.Error()
				return
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			answers <- string(body)
		}()
	}
	for range n {
		release <- true
	}
	for range n {
		if got := receive(t, "answer", answers); got != fmt.Sprint(size) {
			t.Errorf("got %q", got)
		}
	}
	if held := p.held.Load(); held > maxHeld {
		t.Errorf("%d bytes are held", held)
	}
}

// TestNothingTruncated holds that every body arrives whole at both ends and in the tap.
// The real-peer test makes far more of them.
func TestNothingTruncated(t *testing.T) {
	for _, size := range []int{200, 10 << 10, 1 << 20} {
		for _, atOnce := range []int{1, 16} {
			for _, events := range []bool{false, true} {
				n := map[int]int{200: 600, 10 << 10: 400, 1 << 20: 16}[size]
				if bad := countBad(t, n, size, atOnce, events); bad > 0 {
					t.Errorf("%d bytes, %d at once, events %v: %d of %d are bad", size, atOnce, events, bad, n)
				}
			}
		}
	}
}

// countBad makes n requests that are answered with their own body, and returns how many
// were not.
func countBad(t *testing.T, n, size, atOnce int, events bool) (bad int) {
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) != size {
			t.Errorf("the server got %d bytes: %v", len(body), err)
		}
		if !events {
			w.Header().Set("Content-Type", "application/json")
			w.Write(body)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for len(body) > 0 {
			k := max(1, min(len(body)/2+1, len(body)))
			w.Write(body[:k])
			w.(http.Flusher).Flush()
			body = body[k:]
		}
	})
	w := newWitness(t)
	short := map[int]int{}
	w.sums = func(trip int, s session.Stream, data []byte) { short[2*trip+int(s)] += len(data) }
	p := startProxy(t, w, ProxyConfig{}, server.URL+"/mcp")
	c := newClient(t)
	want := make([]byte, size)
	if _, err := io.ReadFull(&pattern{}, want); err != nil {
		t.Fatal(err)
	}
	work, results := make(chan bool), make(chan error, n)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for range work {
				results <- echo(c, p.URL(""), want)
			}
		})
	}
	for range n {
		work <- true
	}
	close(work)
	workers.Wait()
	for i := range n {
		if err := <-results; err != nil {
			bad++
			t.Log(err)
		}
		s := w.whole(i + 1)
		if end := s.event("end"); end.Why != "eof" || end.Sent != int64(size) || end.Received != int64(size) {
			t.Errorf("recorded %+v", s.events)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range n {
		lost := w.trips[i+1].lost
		if got := short[2*i+2] + int(lost[0]); got != size {
			t.Errorf("%d bytes of the request are recorded", got)
		}
		if got := short[2*i+3] + int(lost[1]); got != size {
			t.Errorf("%d bytes of the response are recorded", got)
		}
	}
	return bad
}

// echo posts a body and checks that it comes back.
func echo(c *http.Client, url string, want []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(want))
	if err != nil {
		return err
	}
	res, err := c.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("after %d bytes: %w", len(got), err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%d: got %d bytes, want %d", res.StatusCode, len(got), len(want))
	}
	return nil
}
