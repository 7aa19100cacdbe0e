//go:build realpeers

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A httpWitness forwards TCP connections and keeps what passes, as witness does for
// pipes.
type httpWitness struct {
	t      *testing.T
	target string
	listen net.Listener
	work   sync.WaitGroup

	mu    sync.Mutex
	conns []*witnessedConn
}

// A witnessedConn is what the client sent and the server answered.
type witnessedConn struct {
	mu            sync.Mutex
	request, back bytes.Buffer
}

// witnessHTTP returns a URL that leads to the one given.
func witnessHTTP(t *testing.T, at string) (*httpWitness, string) {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	w := &httpWitness{t: t, target: u.Host}
	if w.listen, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	w.work.Go(func() {
		for {
			conn, err := w.listen.Accept()
			if err != nil {
				return
			}
			w.work.Go(func() { w.forward(conn.(*net.TCPConn)) })
		}
	})
	t.Cleanup(func() { w.listen.Close() })
	u.Host = w.listen.Addr().String()
	return w, u.String()
}

func (w *httpWitness) forward(client *net.TCPConn) {
	defer client.Close()
	conn, err := net.Dial("tcp", w.target)
	if err != nil {
		w.t.Errorf("the server cannot be reached: %v", err)
		return
	}
	defer conn.Close()
	server, kept := conn.(*net.TCPConn), &witnessedConn{}
	w.mu.Lock()
	w.conns = append(w.conns, kept)
	w.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { kept.pass(server, client, &kept.request) })
	both.Go(func() { kept.pass(client, server, &kept.back) })
	both.Wait()
}

// pass copies one direction, its end too.
func (c *witnessedConn) pass(to, from *net.TCPConn, kept *bytes.Buffer) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		kept.Write(buf[:n])
		c.mu.Unlock()
		if n > 0 {
			if _, failed := to.Write(buf[:n]); failed != nil {
				from.SetLinger(0) // the other side is told that it is gone
				from.Close()
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				to.SetLinger(0)
				to.Close()
			}
			to.CloseWrite()
			return
		}
	}
}

// A witnessedTrip is one request and its response. cut says that the response was not
// whole.
type witnessedTrip struct {
	request, response string // request and response are the heads, without what is of one connection.
	sent, body        string
	status            int
	method            string
	cut               bool
}

// ofConnection are the fields that a proxy may or must change; Go's server and client
// add no other.
var ofConnection = []string{"Host", "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "Origin", "Te", "Trailer", "Upgrade"}

func headOf(first string, h http.Header) string {
	lines := []string{first}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		if !slices.Contains(ofConnection, name) {
			lines = append(lines, name+": "+strings.Join(h[name], ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// trips are the round trips that passed, in an order of their own.
func (w *httpWitness) trips() (all []witnessedTrip) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.mu.Lock()
		requests, responses := bufio.NewReader(bytes.NewReader(c.request.Bytes())), bufio.NewReader(bytes.NewReader(c.back.Bytes()))
		c.mu.Unlock()
		for {
			trip, err := readTrip(requests, responses)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					w.t.Errorf("what passed is not HTTP: %v", err)
				}
				break
			}
			all = append(all, trip)
		}
	}
	slices.SortFunc(all, func(a, b witnessedTrip) int { return strings.Compare(a.key()+a.body, b.key()+b.body) })
	return all
}

func (trip witnessedTrip) key() string {
	return strings.Join([]string{trip.request, trip.sent, trip.response, ""}, "\n\n")
}

// readTrip reads the next request and its response; io.EOF if there is no request.
func readTrip(requests, responses *bufio.Reader) (trip witnessedTrip, err error) {
	r, err := http.ReadRequest(requests)
	if err != nil {
		return trip, err
	}
	sent, err := io.ReadAll(r.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return trip, err
	}
	trip = witnessedTrip{request: headOf(r.Method+" "+r.URL.RequestURI(), r.Header), sent: string(sent), method: r.Method}
	var answer *http.Response
	for answer == nil || answer.StatusCode == http.StatusContinue {
		if answer, err = http.ReadResponse(responses, r); err != nil {
			trip.cut = true // before its head
			return trip, nil
		}
	}
	trip.status = answer.StatusCode
	trip.response = headOf(answer.Status, answer.Header)
	body, err := io.ReadAll(answer.Body)
	trip.body, trip.cut = string(body), err != nil
	return trip, nil
}

// A passedTrip is a round trip as the client and as the server had it.
type passedTrip struct{ client, server witnessedTrip }

// samePassed wants what passed at the client's end of the proxy to have passed at the
// server's, and returns the pairs. A response that the client did not read to its end may
// be longer there.
func samePassed(t *testing.T, client, server []witnessedTrip) (all []passedTrip) {
	t.Helper()
	for _, at := range client {
		i := slices.IndexFunc(server, func(b witnessedTrip) bool { return at.matches(b) })
		if i < 0 {
			t.Errorf("the client's round trip did not pass at the server:\n%s\n%.500s", at.key(), at.body)
			continue
		}
		all = append(all, passedTrip{at, server[i]})
		server = slices.Delete(server, i, i+1)
	}
	for _, b := range server {
		t.Errorf("the server's round trip did not pass at the client:\n%s\n%.500s", b.key(), b.body)
	}
	return all
}

func (trip witnessedTrip) matches(server witnessedTrip) bool {
	switch {
	case trip.request != server.request || trip.sent != server.sent:
		return false
	case trip.status == 0: // the client did not wait for it
		return true
	case trip.cut:
		return trip.response == server.response && strings.HasPrefix(server.body, trip.body)
	}
	return trip.key() == server.key() && trip.body == server.body
}
