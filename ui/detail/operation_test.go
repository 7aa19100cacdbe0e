package detail_test

import (
	"fmt"
	"testing"

	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/panetest"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// legs writes a call that the server had made twice over, because it asked.
func legs(t testing.TB, done bool) *panetest.Session {
	s := panetest.New(t)
	s.Client(0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order",`+modernMeta+`}}`)
	s.Server(100, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"a","inputRequests":{"k":{"method":"elicitation/create"}}}}`)
	s.Client(12_100, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"order","requestState":"a","inputResponses":{"k":{}},`+modernMeta+`}}`)
	s.Server(12_300, `{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"b","inputRequests":{"k":{"method":"elicitation/create"}}}}`)
	if done {
		s.Client(15_300, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"order","requestState":"b","inputResponses":{"k":{}},`+modernMeta+`}}`)
		s.Server(15_350, `{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}`)
	}
	return s
}

// task writes a call that became a task, with polls.
func task(t testing.TB, polls int, done bool) *panetest.Session {
	s := panetest.New(t)
	s.Client(0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","task":{}}}`)
	s.Server(10, `{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"working","createdAt":"2026-11-20T10:00:00Z","ttl":null}}}`)
	status := "working"
	for i := range polls {
		at := float64(1000 * (i + 1))
		if done && i == polls-1 {
			status = "completed"
		}
		s.Client(at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"t1"}}`, i+2))
		s.Server(at+20, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"taskId":"t1","status":%q,"statusMessage":"leaf %d"}}`, i+2, status, i+1))
	}
	if done {
		s.Client(float64(1000*polls+100), `{"jsonrpc":"2.0","id":999,"method":"tasks/result","params":{"taskId":"t1"}}`)
		s.Server(float64(1000*polls+150), `{"jsonrpc":"2.0","id":999,"result":{"content":[{"type":"text","text":"tea"}]}}`)
	}
	return s
}

// asked writes a call during which the server asks, up to its answer or not.
func asked(t testing.TB, done bool) *panetest.Session {
	s := panetest.New(t)
	s.Client(0, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","_meta":{"progressToken":"p"}}}`)
	s.Server(10, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":4,"message":"asking \u001b[31myou"}}`)
	s.Server(100, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`)
	if done {
		s.Client(200_100, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
		s.Server(200_200, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	} else {
		s.Stderr(200_000, "still here")
	}
	return s
}

// TestOperations holds how several exchanges are shown as the one act that they
// are, with the time of the whole and of each.
func TestOperations(t *testing.T) {
	for name, tt := range map[string]struct {
		session *panetest.Session
		row     uint32
		h       int
	}{
		"operation-legs":      {legs(t, true), 0, 22},
		"operation-open":      {legs(t, false), 2, 20},
		"operation-task":      {task(t, 300, true), 0, 22},
		"operation-task-open": {task(t, 5, false), 0, 20},
		"asked":               {asked(t, true), 0, 22},
		"asked-open":          {asked(t, false), 0, 20},
	} {
		t.Run(name, func(t *testing.T) {
			c := tt.session.Context()
			p := detail.New()
			at(t, p, c, tt.row)
			for range 4 {
				panetest.Do(t, p, c, keys.NextTab)
			}
			panetest.Golden(t, name, page(t, p, c, 78, tt.h))
			panetest.Sizes(t, p, c)
		})
	}
}
