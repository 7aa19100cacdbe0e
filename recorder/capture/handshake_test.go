package capture

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/transport"
)

// lines is a recorder.Source of frames, a batch each.
type lines []session.Observation

func (l *lines) Take(time.Duration) ([]session.Observation, int64, error) {
	if len(*l) == 0 {
		return nil, 0, io.EOF
	}
	next := (*l)[:1]
	*l = (*l)[1:]
	return next, 0, nil
}

// TestHandshakeGate holds after which message a session may be acted on.
func TestHandshakeGate(t *testing.T) {
	const modern = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	const discover = `>{"jsonrpc":"2.0","id":"d","method":"server/discover",` + modern
	for _, c := range []struct {
		name  string
		lines []string // > is the client's, < the server's.
		ready error    // ready is what comes after the last line; before, it is ErrTooEarly.
	}{
		{"nothing", nil, session.ErrTooEarly},
		{"legacy", []string{`>{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
			`<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`, `>{"jsonrpc":"2.0","method":"notifications/initialized"}`}, nil},
		{"modern", []string{`>{"jsonrpc":"2.0","id":0,"method":"tools/list",` + modern, `<{"jsonrpc":"2.0","id":0,"result":{"tools":[]}}`}, nil},
		{"probe", []string{discover, `<{"jsonrpc":"2.0","id":"d","result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`}, nil},
		{"probe fails", []string{discover, `<{"jsonrpc":"2.0","id":"d","error":{"code":-32601,"message":""}}`}, session.ErrTooEarly},
		{"no handshake", []string{`>{"jsonrpc":"2.0","id":0,"method":"tools/list"}`, `<{"jsonrpc":"2.0","id":0,"result":{"tools":[]}}`}, session.ErrTooEarly},
		{"headers", []string{">Content-Length: 70\r\n\r"}, session.ErrRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := range len(c.lines) + 1 {
				var source lines
				for _, line := range c.lines[:n] {
					stream := session.C2S
					if line[0] == '<' {
						stream = session.S2C
					}
					source = append(source, session.Observation{Conn: 1, Stream: stream, Data: []byte(line[1:] + "\n")})
				}
				sink := recorder.NewMemory(0)
				if err := recorder.NewWriter(sink, session.Header{Mode: "tee"}, recorder.Options{}).Run(&source); err != nil {
					t.Fatal(err)
				}
				want := session.ErrTooEarly
				if n == len(c.lines) {
					want = c.ready
				}
				var h handshakeGate
				h.log.Store(sink)
				for range 2 {
					if err := h.ready(t.Context()); !errors.Is(err, want) {
						t.Errorf("after %d lines: %v, want %v", n, err, want)
					}
				}
			}
		})
	}
	var unrecorded handshakeGate
	if err := unrecorded.ready(t.Context()); !errors.Is(err, session.ErrRefused) {
		t.Errorf("without a record: %v", err)
	}
}

// TestHandshakeGateTogether holds that actions wait for a record that is being written at
// the same time, and not one after the other.
func TestHandshakeGateTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // Nobody reads it.
		sink := recorder.NewSink(w)
		written := make(chan error)
		go func() {
			written <- recorder.NewWriter(sink, session.Header{Mode: "tee"}, recorder.Options{}).Run(new(lines))
		}()
		synctest.Wait()
		var h handshakeGate
		h.log.Store(sink)
		begin, acted := time.Now(), make(chan error)
		for range 3 {
			go func() { acted <- h.ready(t.Context()) }()
		}
		for range 3 {
			if err := <-acted; !errors.Is(err, session.ErrTooEarly) {
				t.Error(err)
			}
		}
		if took := time.Since(begin); took != publishWait {
			t.Errorf("they took %v", took)
		}
		r.Close()
		<-written
		sink.Close()
	})
}

// TestHandshakeGateBehind holds that what has passed counts before it is recorded.
func TestHandshakeGateBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := transport.NewTap(time.Now(), transport.TapConfig{})
		sink := recorder.NewMemory(0)
		h := handshakeGate{behind: tap.Behind}
		h.log.Store(sink)
		ready := func() <-chan error {
			acted := make(chan error, 1)
			go func() { acted <- h.ready(t.Context()) }()
			synctest.Wait()
			return acted
		}
		if err := <-ready(); !errors.Is(err, session.ErrTooEarly) || tap.Behind() {
			t.Errorf("before anything passed: %v, behind %t", err, tap.Behind())
		}
		for _, line := range []string{`>{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
			`<{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`, `>{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
			stream := session.C2S
			if line[0] == '<' {
				stream = session.S2C
			}
			tap.Put(1, stream, session.Crossed, []byte(line[1:]+"\n"))
		}
		acted, begin := ready(), time.Now()
		written := make(chan error)
		go func() {
			time.Sleep(publishWait / 2)
			written <- recorder.NewWriter(sink, session.Header{Mode: "tee"}, recorder.Options{}).Run(tap)
		}()
		if err, took := <-acted, time.Since(begin); err != nil || took != publishWait/2 {
			t.Errorf("the handshake has passed: %v after %v", err, took)
		}
		tap.Close()
		if err := <-written; err != nil {
			t.Error(err)
		}
		if tap.Behind() {
			t.Error("behind with all recorded")
		}
	})
}
