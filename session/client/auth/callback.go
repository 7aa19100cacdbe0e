package auth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// callbackPath is the path of the URL that the browser comes back to.
const callbackPath = "/callback"

// A callback is where the browser comes back to: RFC 8252 §7.3.
type callback struct {
	url    string
	port   int
	server http.Server
	done   chan struct{} // done is closed when the server has ended.

	mu    sync.Mutex
	state string          // state is what the answer must have; empty = none is wanted.
	got   chan url.Values // got has the answer.
}

// listen begins to wait on a port of this machine, 0 for any. close must be called.
func listen(port int) (*callback, error) {
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	b := &callback{url: "http://" + ln.Addr().String() + callbackPath, port: ln.Addr().(*net.TCPAddr).Port, done: make(chan struct{}), got: make(chan url.Values, 1)}
	b.server = http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(b.done)
		_ = b.server.Serve(ln) // It ends by close.
	}()
	return b, nil
}

// close ends the waiting.
func (b *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // for the page that tells the person
	defer cancel()
	if b.server.Shutdown(ctx) != nil {
		_ = b.server.Close()
	}
	<-b.done
}

// expect has the answer with that state taken from now on.
func (b *callback) expect(state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state = state
}

// wait returns the answer that is expected.
func (b *callback) wait(ctx context.Context) (url.Values, error) {
	select {
	case answer := <-b.got:
		return answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ServeHTTP takes the answer, once. What else comes is somebody else's.
func (b *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer") // The URL has the code.
	if r.URL.Path != callbackPath || r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	answer := r.URL.Query()
	b.mu.Lock()
	mine := b.state != "" && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(b.state)) == 1
	if mine {
		b.state = ""
	}
	b.mu.Unlock()
	if !mine {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "This is not the login that wiretea waits for.\n")
		return
	}
	b.got <- answer
	_, _ = io.WriteString(w, "wiretea goes on in the terminal. This page can be closed.\n")
}
