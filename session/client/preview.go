package client

import (
	"encoding/json"
	"strconv"
	"strings"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Preview returns the bytes that Do, or Notify for a notification, would begin
// with now: framed, with the next id and everything that is added. It reserves neither
// the id nor the progress token: another request may get them first. See NextID.
func (c *Client) Preview(method string, params json.RawMessage, opts Options) ([]byte, error) {
	given, err := oneLine(params)
	if err != nil {
		return nil, err
	}
	if IsNotification(method) {
		return c.Frame(jsonrpc.AppendRequest(nil, "", method, given)), nil
	}
	op := c.operation(method, given, opts)
	c.mu.Lock()
	c.prepareLocked(op, given)
	id := strconv.FormatInt(c.next, 10)
	c.mu.Unlock()
	return c.Frame(jsonrpc.AppendRequest(nil, id, method, c.stamped(op, c.withTaskRequest(op, given)))), nil
}

// NextID returns the raw text of the id that the next request of ours has.
func (c *Client) NextID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strconv.FormatInt(c.next, 10)
}

// Frame returns a message as it is on the wire, which is what Send takes.
func (c *Client) Frame(message []byte) []byte { return c.out.frame(message) }

// withTaskRequest returns params with the request for a task, if the operation has one
// and the era is legacy: in the modern era the extension is declared, and the server
// decides.
func (c *Client) withTaskRequest(op *operation, params json.RawMessage) json.RawMessage {
	if op.opts.Task == nil || c.Server().Era == mcp.Modern {
		return params
	}
	return askForTask(params, op.opts.Task)
}

// avoid moves our ids and progress tokens past those that the user has chosen, also in
// an invalid request: a server may answer it.
func (c *Client) avoid(m *jsonrpc.Message) {
	if m.Kind != jsonrpc.Request && m.Kind != jsonrpc.Invalid {
		return
	}
	id, ok := m.ID.Int()
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok && id <= maxSafeID {
		c.next = max(c.next, id+1)
	}
	if n, ok := tokenNumber(m.Field(jsonrpc.MetaProgressToken)); ok {
		c.tokens = max(c.tokens, n)
	}
}

// maxSafeID is the largest integer that every JSON peer keeps exact, less some
// room for ids to come.
const maxSafeID = 1<<53 - 1<<20

// tokenPrefix begins the raw text of our progress tokens; a number and a quote
// follow.
const tokenPrefix = `"wiretea-`

func progressToken(n int) string { return tokenPrefix + strconv.Itoa(n) + `"` }

// tokenNumber is the number of a progress token that reads as one of ours.
func tokenNumber(v *jsonrpc.Value) (int, bool) {
	if !v.Whole() {
		return 0, false
	}
	digits, ours := strings.CutPrefix(string(v.Raw), tokenPrefix)
	n, err := strconv.Atoi(strings.TrimSuffix(digits, `"`))
	return n, ours && err == nil && n <= maxSafeID
}
