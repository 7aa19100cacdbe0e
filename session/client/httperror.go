package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"wiretea/session/mcp"
)

// A Carrier is a server's output that has more to tell than bytes: over HTTP a request
// can be refused where no line says so. New has it call the client.
type Carrier interface {
	// OnRefused has refused called for each request, named by the raw text of its id,
	// whose round trip is over without its answer, with the reason. It is called within
	// Read, after all bytes that came before were returned.
	OnRefused(refused func(id string, err error))
}

// refused ends the call of a request that will not be answered, if it still waits.
func (c *Client) refused(id string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.pending[id]; p != nil {
		delete(c.pending, id)
		p.give(answer{err: err})
	}
}

// An HTTPError says that a request got no answer because its round trip failed: there
// was not a response, or one without the answer.
type HTTPError struct {
	Status int       // Status is the response's status code; 0 = no response came.
	Type   string    // Type is the response's media type.
	Text   string    // Text is the beginning of its body, verbatim; empty where that is not text.
	Means  string    // Means is what happened, in one line.
	Hint   string    // Hint is what may help; empty = nothing known.
	RPC    *RPCError // RPC is the error in its body that names another request, or none; nil = there is none.
	Err    error     // Err is the cause where no response, or only a part of one, came.
}

func (e *HTTPError) Error() string {
	var b strings.Builder
	if e.Status != 0 {
		b.WriteString("HTTP " + strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.Means != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Means)
	}
	switch {
	case e.RPC != nil:
		fmt.Fprintf(&b, "; the body says: %v", e.RPC)
	case e.Err != nil:
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the error in the body, and the cause.
func (e *HTTPError) Unwrap() []error {
	var all []error
	if e.RPC != nil {
		all = append(all, e.RPC)
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}

// relisted lists the tools where a server refuses a call because of the header fields
// that mirror its arguments, and has it made once more: [V5] basic/transports/
// streamable-http §Client Behavior. The transport learns from the list which they are.
func (c *Client) relisted(ctx context.Context, whole *Reply, failed error) (bool, error) {
	var rpc *RPCError
	if len(whole.Legs) > 1 || !errors.As(failed, &rpc) || rpc.Code != codeHeaderMismatch {
		return false, failed
	}
	if _, err := c.List(ctx, mcp.ToolsList); err != nil {
		return false, failed
	}
	return true, nil
}

// oldServer reports whether the response to a modern request may be that of a server
// that does not know the modern era: [V5] basic/transports/streamable-http §Backward
// Compatibility names 400, 404 and 405; servers that fail on what they do not know are
// taken for old ones too.
func (e *HTTPError) oldServer() bool {
	if e.RPC != nil && e.RPC.Code <= codeHeaderMismatch && e.RPC.Code >= codeUnsupportedVersion {
		return false
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	case http.StatusAccepted, http.StatusInternalServerError, http.StatusNotImplemented:
		return true
	}
	return e.Status >= 400 && e.Status < 500
}
