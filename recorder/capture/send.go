package capture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wiretea/recorder"
	"wiretea/session/client"
	"wiretea/session/mcp"
)

// CancelReason is what a server is told when the user cancels a request.
const CancelReason = "cancelled by the user"

// mayTakeLong reports whether the progress of a request is worth asking for.
func mayTakeLong(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// Deliver sends a message through c and waits for the response, if it has one.
// params is a whole message where method is empty. task asks for the request to be
// run as a task; nil does not. progress asks for progress notifications where the
// request may take long; they appear in the traffic alone.
func Deliver(ctx context.Context, c *client.Client, method string, params json.RawMessage, task *client.TaskOptions, progress bool) (err error) {
	switch {
	case method == "":
		_, err = c.CallRaw(ctx, params)
	case client.IsNotification(method):
		err = c.Notify(ctx, method, params)
	default:
		opts := client.Options{Task: task}
		if progress && mayTakeLong(method) {
			opts.Progress = func(client.Progress) {}
		}
		_, err = c.Do(ctx, method, params, opts)
	}
	return err
}

// Send sends a line as typed: a method with parameters, or a whole message. It
// waits for the first connection and for the response. An error response is not an
// error: it appears in the traffic.
func (r *Run) Send(ctx context.Context, line string) error {
	method, params, err := client.ParseLine(line)
	if err != nil {
		return err
	}
	return r.deliver(ctx, method, params, nil)
}

// Resend sends a request again, as a task if it was one.
func (r *Run) Resend(ctx context.Context, m recorder.Request) error {
	var task *client.TaskOptions
	if WantsTask(m) {
		task = &client.TaskOptions{}
	}
	return r.deliver(ctx, m.Method, m.Params, task)
}

// WantsTask reports whether a request asks to be run as a task: by its parameter
// task in the legacy era, by a capability in the modern one.
func WantsTask(m recorder.Request) bool {
	if m.Method != "tools/call" {
		return false
	}
	var p struct {
		Task *struct{} `json:"task"`
		Meta struct {
			Client struct {
				Extensions map[string]json.RawMessage `json:"extensions"`
			} `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p) // parameters that are not an object ask for nothing
	_, extended := p.Meta.Client.Extensions[mcp.TasksExtension]
	return p.Task != nil || extended
}

func (r *Run) deliver(ctx context.Context, method string, params json.RawMessage, task *client.TaskOptions) error {
	c, err := r.connected(ctx)
	if err != nil {
		return err
	}
	err = Deliver(ctx, c, method, params, task, true)
	var answer *client.RPCError
	switch {
	case errors.As(err, &answer), errors.Is(err, context.Canceled), errors.Is(err, client.ErrCancelled), errors.Is(err, client.ErrTask):
		return nil
	case err != nil && method != "" && !strings.HasPrefix(err.Error(), method):
		return fmt.Errorf("%s: %w", method, err)
	}
	return err
}

// Cancel cancels what a request has started: it cancels a task, closes a
// subscription, and cancels any other request. Send returns then. The server is
// told also of a request that nobody waits for.
func (r *Run) Cancel(ctx context.Context, id string) error {
	c := r.Client()
	if c == nil {
		return ErrNotConnected
	}
	if err := c.Cancel(id); !errors.Is(err, client.ErrNotOutstanding) {
		return err
	}
	return c.Notify(ctx, "notifications/cancelled", fmt.Appendf(nil, `{"requestId":%s,"reason":%q}`, id, CancelReason))
}
