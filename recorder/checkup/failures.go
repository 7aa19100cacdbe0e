package checkup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/session/transport"
)

// unconnected adds the finding that says why the handshake failed, or the start of the server.
func (c *Checkup) unconnected(ctx context.Context, err error) {
	var notDone *transport.StartError
	var late *client.TimeoutError
	var answer *client.RPCError
	var refused *client.HTTPError
	switch {
	case ctx.Err() != nil:
		return // That it was stopped is said.
	case errors.As(err, &notDone):
		f := c.found(verdict.NotStarted.ID, fmt.Sprintf("the server could not be started: %q: %s", notDone.Name, notDone.Why))
		if notDone.Hint != "" {
			f.Hint = notDone.Hint
		}
		c.raise(ServerFailed)
		return
	case errors.As(err, &late):
		f := c.found(verdict.NoHandshake.ID, late.Error())
		f.Key = verdict.Lapsed
		if conn, ok := c.run.Conn().(*http.Conn); ok && conn.Mode() == http.SSE {
			f.Message += "; the message was accepted, and nothing came on the event stream"
			f.Hint = "write the response as an event to the stream whose endpoint the message was posted to"
		}
		c.raise(TimedOut)
		return
	}
	f := c.found(verdict.NoHandshake.ID, "no handshake: "+err.Error())
	switch {
	case errors.As(err, &refused):
		f.Hint, f.Fault = refused.Hint, refused.Fault()
	case errors.As(err, &answer):
		if f.Key, f.Hint = verdict.Refused, RefusedHint(answer); answer.Code == mcp.HeaderMismatch {
			f.Fault = session.Nobody // The server may be right: what it misses was sent.
		} else if answer.Code == mcp.MethodNotFound && c.cfg.Client.Era == client.Auto && c.cfg.Client.ProtocolVersion == "" {
			f.Hint = "the server knows neither server/discover nor initialize: is it an MCP server?"
		}
	case errors.Is(err, client.ErrNoResult):
		f.Hint = "return what the specification defines for that method"
	case errors.Is(err, client.ErrVersion):
		f.Hint = "--protocol-version asks for another one"
	case errors.Is(err, client.ErrClosed):
		f.Key, f.Hint = verdict.Lapsed, "see its stderr and exit code"
	}
	c.raise(ServerFailed)
}

const tryByHand = "try it by hand: "

// byHand says how to make a request without check, on one line of a sensible length.
func (c *Checkup) byHand(method string, params json.RawMessage) string {
	const longest = 500
	h := c.run.Snapshot().Header()
	if len(params) > longest || h == nil {
		return verdict.CallFailed.Text().Hint
	}
	words := []string{"wiretea", "call", method}
	if len(params) > 0 {
		words = append(words, string(params))
	}
	if words = append(words, "--"); h.URL != "" {
		words = append(words, h.URL)
	}
	return tryByHand + text.CommandLine(append(words, h.Cmd...))
}

// outside are the causes that lie outside a server, and whatever calls it.
var outside = []string{"service-unreachable", "host-unknown", "certificate", "credentials-refused", "access-denied", "no-space"}

// advise says what may help against a text with which a request failed.
func (c *Checkup) advise(text, method string, params json.RawMessage) string {
	cause := cause.Of([]byte(text))
	switch {
	case cause != nil && slices.Contains(outside, cause.ID):
		return cause.Mend
	case refusesCredentials(text):
		return credentialsHint
	case strings.Contains(strings.ToLower(text), "server not initialized"):
		return "accept requests once notifications/initialized has come: it was sent after the handshake"
	case strings.Contains(strings.ToLower(text), "protocol version"):
		return "have the server accept, in MCP-Protocol-Version, the version that it named in the result of initialize"
	}
	return c.byHand(method, params)
}

// failed adds the finding about a request that did not succeed, unless the wire shows why:
// then it is nil.
func (c *Checkup) failed(ctx context.Context, what, method string, params json.RawMessage, err error) (f *session.Finding) {
	var late *client.TimeoutError
	var refused *client.HTTPError
	var answer *client.RPCError
	switch {
	case ctx.Err() != nil, errors.As(err, &answer) && answer.Malformed != "":
	case errors.Is(err, client.ErrTooLong), errors.Is(err, client.ErrCursorLoop), errors.Is(err, client.ErrPageLoop), errors.Is(err, client.ErrTooManyPages), errors.Is(err, client.ErrNoResult):
	case errors.As(err, &late):
		f = c.found(verdict.CallFailed.ID, fmt.Sprintf("%s was not answered within %v", what, late.After.Round(time.Millisecond)))
		f.Key, f.Hint = verdict.Lapsed, fmt.Sprintf("look what it waits for; --timeout %s=%v waits longer", method, 10*late.After)
		c.raise(TimedOut)
	case errors.Is(err, client.ErrClosed):
		f = c.found(verdict.CallFailed.ID, what+": the server closed the connection before it answered")
		f.Key, f.Hint = verdict.Lapsed, c.byHand(method, params)
		c.raise(ServerFailed)
	default:
		f = c.found(verdict.CallFailed.ID, what+": "+strings.TrimPrefix(err.Error(), method+": "))
		if f.Hint = c.advise(err.Error(), method, params); errors.As(err, &refused) && refused.Hint != "" {
			f.Hint = refused.Hint
		}
	}
	return f
}

// complaintLength is where the text of a failed tool is cut, in characters.
const complaintLength = 100

// toolComplaint is what a tool's result says of its failure: its first text, else
// all of it.
func toolComplaint(result json.RawMessage) string {
	if words := jsonrpc.Complaint(result); words != "" {
		return text.Visible([]byte(words), complaintLength)
	}
	return text.Visible(result, complaintLength)
}

// readLog is the hint where the server alone can tell.
const readLog = "read what the server writes at that time"

// RefusedHint returns the hint for a request that was answered by an error.
func RefusedHint(answer *client.RPCError) string {
	if answer.Code == mcp.MethodNotFound {
		return "the server may speak the other era: --era auto tries both"
	}
	if answer.Code == mcp.HeaderMismatch {
		return "look for a proxy in front of the server that removes or changes MCP-Protocol-Version or the Mcp-* fields"
	}
	if answer.Code != mcp.ParseError && refusesCredentials(answer.Message) {
		return credentialsHint
	}
	if strings.Contains(strings.ToLower(answer.Message), "protocol version") {
		return "--protocol-version asks for another one"
	}
	return readLog
}

const credentialsHint = "credentials may be missing or wrong: a URL takes --login auto, --token-env VAR or --header 'Name: value', a command --env NAME=VALUE"

// refusesCredentials reports whether a text says that a client is not let in.
func refusesCredentials(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(credentialWords, func(word string) bool { return strings.Contains(text, word) })
}

// credentialWords are what an error says of a client that is not let in.
var credentialWords = []string{"unauthorized", "unauthorised", "unauthenticated", "forbidden", "invalid token", "invalid_token", "invalid access token"}
