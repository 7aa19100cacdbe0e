package demo

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Server serves behaviours over HTTP on this machine, one at a time.
type Server struct {
	URL string // URL is the endpoint of Streamable HTTP.

	server http.Server
	served chan struct{} // served is closed when the listener is.

	mu  sync.Mutex
	now *HTTP // now is nil before the first behaviour.
}

// Listen returns a Server on a free port of loopback.
func Listen() (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String() + Endpoint, served: make(chan struct{})}
	s.server = http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(l) // it ends with Close
	}()
	return s, nil
}

// Serve serves the behaviour of that name from now on, and ends the sessions of the
// one before. It fails for an unknown name.
func (s *Server) Serve(name string) error {
	h, err := NewHTTP(name, io.Discard)
	if err != nil {
		return err
	}
	s.change(h)
	return nil
}

func (s *Server) change(to *HTTP) {
	s.mu.Lock()
	before := s.now
	s.now = to
	s.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.now
	s.mu.Unlock()
	if h == nil {
		http.Error(w, "No behaviour is served", http.StatusServiceUnavailable)
		return
	}
	h.ServeHTTP(w, r)
}

// Close ends all sessions and the Server.
func (s *Server) Close() {
	s.change(nil)
	shutDown(&s.server)
	<-s.served
}

// shutDown ends a server whose streams have ended with their sessions; what still
// waits after a second is cut.
func shutDown(srv *http.Server) {
	late, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if srv.Shutdown(late) != nil {
		_ = srv.Close()
	}
}
