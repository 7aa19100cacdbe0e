package http

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
)

// A lateConn is a connection whose Write of the marker returns only when it is released:
// the server has the whole request long before the transport looks for its end.
type lateConn struct {
	net.Conn
	release <-chan bool
}

var marker = []byte("the last bytes")

func (c *lateConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if bytes.Contains(p[max(0, len(p)-len(marker)-2):], marker) { // A line end may follow.
		<-c.release
	}
	return n, err
}

// TestNotClosedUnderResponse holds that the transport finds the end of a request's body
// although the client has a part of the response already. Where it reads a body that the
// server has closed instead, it closes the connection, and the rest of the response is
// lost.
func TestNotClosedUnderResponse(t *testing.T) {
	for _, test := range []struct {
		size    int
		chunked bool
	}{{10 << 10, false}, {10 << 10, true}, {2 * maxWhole, false}, {2 * maxWhole, true}} {
		size := test.size
		t.Run(fmt.Sprint(size, " chunked: ", test.chunked), func(t *testing.T) {
			release, wrote := make(chan bool), make(chan error, 1)
			url := startTCP(t, func(c net.Conn, in *bufio.Reader) {
				req, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				io.CopyN(io.Discard, req.Body, int64(size))
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
				wrote <- <-wrote
				io.WriteString(c, "def")
			})
			w := newWitness(t)
			transport := NewTransport(nil, nil, true)
			transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, addr)
				return &lateConn{c, release}, err
			}
			p, err := Listen(ProxyConfig{Log: w.log, Upstreams: upstreams(t, url+"/mcp"), Transport: transport})
			if err != nil {
				t.Fatal(err)
			}
			base := httptrace.WithClientTrace(p.closing, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { wrote <- i.Err }})
			p.server.BaseContext = func(net.Listener) context.Context { return base }
			served := make(chan error, 1)
			go func() { served <- p.Serve() }()
			defer func() {
				p.Close()
				<-served
			}()

			body := append(make([]byte, size-len(marker)), marker...)
			var r io.Reader = bytes.NewReader(body)
			if test.chunked {
				r = struct{ io.Reader }{r}
			}
			res, err := newClient(t).Post(p.URL(""), "application/json", r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			first := make([]byte, 3)
			io.ReadFull(res.Body, first)
			close(release)
			rest, err := io.ReadAll(res.Body)
			if string(first)+string(rest) != "abcdef" || err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("got %q%q, %v", first, rest, err)
			}
			if err := <-wrote; err != nil {
				t.Errorf("the request was written with %v", err)
			}
		})
	}
}
