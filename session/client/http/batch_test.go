package http

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"wiretea/session/client"
)

// TestBatch holds that each request of a batch gets its response or its error, exactly once.
func TestBatch(t *testing.T) {
	const (
		first  = `{"jsonrpc":"2.0","id":1,"result":{}}`
		second = `{"jsonrpc":"2.0","id":"2","error":{"code":-32601,"message":"no"}}`
		nobody = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`
		event  = "data: %s\n\n"
	)
	for name, test := range map[string]struct {
		status      int
		kind, body  string
		reads       string
		told, means string // told are the ids that are refused, means is what is said of the first.
	}{
		"taken":            {202, "", "", "", "1 \"2\"", "the request was taken without an answer"},
		"all in a body":    {200, typeJSON, "[" + first + "," + second + "]", "[" + first + "," + second + "]", "", ""},
		"one in a body":    {200, typeJSON, "[" + second + "]", "[" + second + "]", "1", "the response has answers to other requests of the batch"},
		"an error beside":  {200, typeJSON, "[" + first + "," + nobody + "]", "[" + first + "," + nobody + "]", `"2"`, "the response has answers to other requests of the batch"},
		"a body cut off":   {200, typeJSON, "[" + first + "," + second, "", "1 \"2\"", "the body (application/json) is not the answer"},
		"refused":          {400, typeJSON, nobody, "", "1 \"2\"", "error -32600: no batches"},
		"refused each":     {400, typeJSON, "[" + first + "," + second + "]", "[" + first + "," + second + "]", "", ""},
		"refused by 401":   {401, typeJSON, "[" + first + "," + second + "]", "", "1 \"2\"", "the server requires authentication"},
		"one event for it": {200, typeEvents, fmt.Sprintf(event, "["+first+","+second+"]"), "[" + first + "," + second + "]", "", ""},
		"two events":       {200, typeEvents, fmt.Sprintf(event+event, first, second), first + "\n" + second, "", ""},
		"one of two":       {200, typeEvents, fmt.Sprintf(event, first), first, `"2"`, "the event stream ended after 0s without the answer"},
		"the same twice":   {200, typeEvents, fmt.Sprintf(event+event, first, first), first + "\n" + first, `"2"`, "the event stream ended"},
	} {
		t.Run(name, func(t *testing.T) {
			handler := func(_ *world, rw http.ResponseWriter, _ *http.Request, _ string) {
				rw.Header().Set("Content-Type", test.kind)
				rw.WriteHeader(test.status)
				io.WriteString(rw, test.body)
			}
			inWorld(t, Options{Mode: Streamable}, handler, func(w *world) {
				var told []string
				var why error
				w.conn.OnRefused(func(id string, err error) {
					if told = append(told, id); len(told) == 1 {
						why = err
					}
				})
				io.WriteString(w.conn, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"2","method":"ping"}]`+"\n")
				if err := w.conn.CloseWrite(); err != nil {
					t.Error(err)
				}
				reads, err := io.ReadAll(w.conn)
				if err != nil || strings.TrimSpace(string(reads)) != test.reads {
					w.t.Errorf("Read returns %q, %v", reads, err)
				}
				if got := strings.Join(told, " "); got != test.told {
					w.t.Errorf("refused are %s, want %s", got, test.told)
				}
				var refused *client.HTTPError
				if test.told != "" && (!errors.As(why, &refused) || !strings.Contains(why.Error(), test.means)) {
					w.t.Errorf("the reason is %v", why)
				}
			})
		})
	}
}

// TestBatchRenewed holds that a batch goes into the next session too where its own is over.
func TestBatchRenewed(t *testing.T) {
	sessions := 0
	handler := func(_ *world, rw http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, `"initialize"`) {
			sessions++
		}
		switch {
		case !strings.HasPrefix(body, "["):
			healthy(rw, r, body, fmt.Sprint("s", sessions))
		case sessions == 1:
			rw.WriteHeader(http.StatusNotFound)
		default:
			answerJSON(rw, `[{"jsonrpc":"2.0","id":5,"result":{}},{"jsonrpc":"2.0","id":6,"result":{}}]`)
		}
	}
	inWorld(t, Options{Mode: Streamable}, handler, func(w *world) {
		w.conn.OnRefused(func(id string, err error) { w.t.Errorf("%s is refused: %v", id, err) })
		io.WriteString(w.conn, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n")
		io.WriteString(w.conn, `[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"}]`+"\n")
		if err := w.conn.CloseWrite(); err != nil {
			t.Error(err)
		}
		reads, _ := io.ReadAll(w.conn)
		if lines := strings.Split(strings.TrimSpace(string(reads)), "\n"); len(lines) != 2 || !strings.Contains(lines[1], `"id":6`) {
			w.t.Errorf("Read returns %q", reads)
		}
		if len(w.notices) != 1 || !strings.Contains(w.notices[0], "and a batch was sent once more") {
			w.t.Errorf("the notices are %q", w.notices)
		}
	})
}
