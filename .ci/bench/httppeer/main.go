package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"wiretea/.ci/bench/answer"
	"wiretea/session/transport"
	wirehttp "wiretea/session/transport/http"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "httppeer:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "server":
		return serve(server())
	case len(args) == 2 && args[0] == "bare":
		return serve(bare(args[1]))
	case len(args) == 2 && args[0] == "proxy":
		return proxy(args[1])
	}
	return errors.New("usage: httppeer server | bare URL | proxy URL")
}

// serve serves on a free port until standard input ends.
func serve(h http.Handler, err error) error {
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String() + "/mcp")
	go func() { _ = (&http.Server{Handler: h}).Serve(l) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func server() (http.Handler, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		kind := r.Header.Get("Accept")
		w.Header().Set("Content-Type", kind)
		if kind != "text/event-stream" {
			_, _ = w.Write(body)
			return
		}
		for _, part := range []string{"data: ", string(body), "\n\n"} {
			_, _ = io.WriteString(w, part)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("POST /answer", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer.To(nil, body))
	})
	gone := make(chan int64, 1)
	mux.HandleFunc("GET /mcp", func(w http.ResponseWriter, r *http.Request) { events(w, r, gone) })
	mux.HandleFunc("GET /gone", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, <-gone) })
	return mux, nil
}

// events sends n events of 200 bytes, each with the time, and a pause between. Then, with
// open=1, it waits for the client to go, with open=told it tells when that was, and with
// open=cut it breaks the connection.
func events(w http.ResponseWriter, r *http.Request, gone chan<- int64) {
	n, _ := strconv.Atoi(r.FormValue("n"))
	pause, _ := time.ParseDuration(r.FormValue("pause"))
	w.Header().Set("Content-Type", "text/event-stream")
	pad := strings.Repeat("x", 160)
	for range n {
		fmt.Fprintf(w, "data: {\"t\":%d,\"pad\":\"%s\"}\n\n", time.Now().UnixNano(), pad)
		w.(http.Flusher).Flush()
		if pause > 0 {
			time.Sleep(pause)
		}
	}
	switch r.FormValue("open") {
	case "1":
		<-r.Context().Done()
	case "told":
		<-r.Context().Done()
		gone <- time.Now().UnixNano()
	case "cut":
		panic(http.ErrAbortHandler)
	}
}

// bare is net/http's reverse proxy, made correct: it reads the request's body before it
// sends the request, and flushes what comes.
func bare(to string) (http.Handler, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	p := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host },
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0), // Streams are cut on purpose.
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.ServeHTTP(w, r)
	}), nil
}

// proxy is wiretea's proxy without a record.
func proxy(to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	tap := transport.NewTap(time.Now(), transport.TapConfig{Limit: 32 << 20, BatchDelay: 5 * time.Millisecond, Patience: 500 * time.Millisecond}) // as capture has it
	p, err := wirehttp.Listen(wirehttp.ProxyConfig{
		Upstreams: []wirehttp.Upstream{{URL: u}}, Log: &wirehttp.Log{Tap: tap, Key: []byte("bench")}, Errors: os.Stderr,
		Initialize: func(body []byte) bool { return bytes.Contains(body, []byte(`"initialize"`)) },
	})
	if err != nil {
		return err
	}
	go discard(tap)
	fmt.Println(p.URL(""))
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = p.Close()
		tap.Close()
	}()
	return p.Serve()
}

// discard takes what the tap has until it is closed.
func discard(tap *transport.Tap) {
	for {
		if _, _, err := tap.Take(0); err != nil {
			return
		}
	}
}
