package http

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"wiretea/session"
	trips "wiretea/session/transport/http"
)

// A marker alters messages while it is switched on.
type marker struct{ on atomic.Bool }

func (m *marker) On() bool        { return m.on.Load() }
func (m *marker) Heads() bool     { return false }
func (m *marker) TooLong() string { return "" }

func (m *marker) Ended(int, session.Stream) {}

func (m *marker) Decide(c session.Carried) session.Ruling {
	if !m.on.Load() || !bytes.Contains(c.Text, []byte("plain")) {
		return session.Ruling{}
	}
	return session.Ruling{Verb: session.Alter, By: "marker", Text: bytes.ReplaceAll(c.Text, []byte("plain"), []byte("marked"))}
}

// TestSwitched holds that a connection makes its round trips past the Carrier while nobody
// decides on messages, and that a switch concerns the next message: the response to a request
// that waits, one body or an event stream of which the first events have come, a message on a
// GET stream on which none has come, and the next request. No byte is lost, and each round trip
// is recorded once.
func TestSwitched(t *testing.T) {
	var serverSays, answer chan string
	judge := &marker{}
	inWorld(t, Options{}, func(w *world, rw http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet:
			for answerEvents(rw, ""); ; {
				select {
				case text := <-serverSays:
					answerEvents(rw, text)
				case <-r.Context().Done():
					return
				}
			}
		case healthy(rw, r, body, "s"):
		case strings.Contains(body, "stream"):
			for answerEvents(rw, ": open\n\n"); ; {
				text, more := <-answer
				if !more {
					return
				}
				answerEvents(rw, text)
			}
		default:
			text := <-answer
			if strings.Contains(body, "marked") {
				text += " to a marked request"
			}
			answerJSON(rw, result(body, `"`+text+`"`))
		}
	}, func(w *world) {
		t := w.t
		serverSays, answer = make(chan string), make(chan string) // They are of the bubble.
		w.conn.carrier = trips.NewCarrier(w.conn.at, w.conn.remote.httpc, w.conn.log, judge)
		lines := bufio.NewReader(w.conn)
		send := func(line string) {
			t.Helper()
			if _, err := io.WriteString(w.conn, line+"\n"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		gets := func(want string) {
			t.Helper()
			if got, err := lines.ReadString('\n'); err != nil || strings.TrimSpace(got) != want {
				t.Errorf("the client got %s, %v; want %s", got, err, want)
			}
		}
		said := func(id int, text string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"%s"}`, id, text)
		}
		note := func(text string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":"%s"}`, text)
		}
		ask := func(id int, form string) {
			t.Helper()
			send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":"%s"}`, id, form))
		}
		event := func(text string) string { return "data: " + text + "\n\n" }

		send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
		lines.ReadString('\n')
		send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)

		r, err := w.conn.ask(t.Context(), http.MethodDelete, w.conn.at, w.conn.current(), "")
		if err != nil || r.bypass == nil {
			t.Fatalf("the Carrier makes a round trip that nobody decides on: %v", err)
		}
		w.conn.skip(r)
		ask(1, "json")
		answer <- "plain 1"
		gets(said(1, "plain 1"))

		ask(2, "json")
		judge.on.Store(true)
		answer <- "plain 2"
		gets(said(2, "marked 2"))
		serverSays <- event(note("plain 3"))
		gets(note("marked 3"))

		judge.on.Store(false)
		serverSays <- event(note("plain 4"))
		gets(note("plain 4"))
		ask(5, "stream")
		answer <- event(note("plain 5"))
		gets(note("plain 5"))
		judge.on.Store(true)
		answer <- event(note("plain 6")) + event(note("plain 7"))
		gets(note("marked 6"))
		gets(note("marked 7"))
		answer <- event(said(5, "plain 8"))
		gets(said(5, "marked 8"))
		close(answer)
		synctest.Wait()

		answer = make(chan string)
		ask(9, "plain")
		answer <- "plain 9"
		gets(said(9, "marked 9 to a marked request"))
		synctest.Wait()
		checkRecordedOnce(t, w.events())
	})
}

// checkRecordedOnce fails the test unless each round trip but the GET stream has one record of
// each kind, and its end.
func checkRecordedOnce(t *testing.T, events []*session.HTTPEvent) {
	t.Helper()
	count := map[string]int{}
	for _, ev := range events {
		count[ev.Event]++
		if ev.Event == "end" && ev.Why != "eof" {
			t.Errorf("%+v", ev)
		}
	}
	if count["req"] != 8 || count["res"] != 8 || count["end"] != 7 {
		t.Errorf("of 7 requests and a GET stream: %v", count)
	}
}
