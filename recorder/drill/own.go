package drill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/decide/fault"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// connectLimit is the least that a handshake may take: programs are fetched and started in it.
const connectLimit = 30 * time.Second

// Own is wiretea as the client: it lists the tools, calls one, and sends a ping, or in the
// modern era, which has none, lists the tools again. It repeats nothing.
type Own struct {
	Config  client.Config // Config is the client's; its Timeout is set by Own.
	Timeout time.Duration // Timeout is how long a request may take.

	// Call is the parameters of the tools/call; nil = the first tool that needs no arguments,
	// one that says it only reads before others. It is set by the first list.
	Call json.RawMessage

	Remote func(url string) (capture.Server, error) // Remote returns the server at a proxy's URL.
}

// Try implements Client.
func (o *Own) Try(ctx context.Context, at Place) (Result, error) {
	var server capture.Server = &capture.Process{Argv: at.Command, Grace: transport.Grace{EOF: 5 * time.Second, Term: time.Second}}
	if at.URL != "" {
		var err error
		if server, err = o.Remote(at.URL); err != nil {
			return Result{}, err
		}
	}
	cfg := o.Config
	cfg.Timeout = func(method string) time.Duration {
		if method == mcp.Initialize {
			return max(o.Timeout, connectLimit)
		}
		return o.Timeout
	}
	run, err := capture.New(capture.Config{Server: server, Client: cfg, Limits: session.DefaultLimits(), Record: capture.Record{None: true}})
	if err != nil {
		return Result{}, err
	}
	ended, err := o.use(ctx, run)
	err = errors.Join(err, run.Close(ctx, "eof"))
	return ended, errors.Join(err, run.Release())
}

// use connects and makes the requests. Of several failures the first is told.
func (o *Own) use(ctx context.Context, run *capture.Run) (Result, error) {
	c, err := run.Connect(ctx)
	var unstarted *transport.StartError
	switch {
	case errors.As(err, &unstarted):
		return Result{}, err
	case err != nil:
		return Result{Told, "connecting: " + err.Error()}, nil
	}
	ended := Result{Verdict: Recovered}
	took := func(what string, err error) {
		if err != nil && ended.Verdict == Recovered {
			ended = Result{Told, what + ": " + err.Error()}
		}
	}
	tools, err := c.List(ctx, mcp.ToolsList)
	took(mcp.ToolsList, err)
	if o.Call == nil {
		o.Call = pick(tools.Items)
	}
	if o.Call != nil {
		_, err = c.Call(ctx, mcp.ToolsCall, o.Call)
		took(mcp.ToolsCall, err)
	}
	if c.Server().Era == mcp.Modern {
		_, err = c.List(ctx, mcp.ToolsList)
		took(mcp.ToolsList, err)
	} else {
		_, err = c.Call(ctx, mcp.Ping, nil)
		took(mcp.Ping, err)
	}
	return ended, nil
}

// pick returns a call of a tool that needs no arguments and no task, one that says it only reads before
// others; nil = there is none.
func pick(tools []json.RawMessage) json.RawMessage {
	var first json.RawMessage
	for _, text := range tools {
		var tool struct {
			Name  json.RawMessage `json:"name"`
			Input struct {
				Required []json.RawMessage `json:"required"`
			} `json:"inputSchema"`
			Execution struct {
				Task string `json:"taskSupport"`
			} `json:"execution"`
			Notes struct {
				ReadOnly bool `json:"readOnlyHint"`
			} `json:"annotations"`
		}
		if json.Unmarshal(text, &tool) != nil || len(tool.Name) == 0 || len(tool.Input.Required) > 0 || tool.Execution.Task == "required" {
			continue
		}
		call := json.RawMessage(`{"name":` + string(tool.Name) + `,"arguments":{}}`)
		if tool.Notes.ReadOnly {
			return call
		}
		if first == nil {
			first = call
		}
	}
	return first
}

// series are the faults of a drill, in its order. The filters name calls of tools, which are
// what has side effects.
var series = []string{
	"m:tools/call is:request: delay(1s) n=1",
	"m:tools/call is:request: drop n=1",
	"m:tools/call is:request: duplicate n=1",
	"m:tools/call is:request: truncate n=1",
	"m:tools/call is:response: drop n=1",
	"m:tools/call is:response: duplicate n=1",
	"m:tools/call is:response: truncate n=1",
	"m:tools/call is:response: wrong-id n=1",
	"m:tools/call is:response: result-to-error n=1",
	"m:tools/call is:response: corrupt n=1",
	"m:tools/call is:response: junk-line n=1",
	"m:tools/call is:response: oversize n=1",
	"m:tools/call is:response: reset n=1",
	"m:tools/list is:response: drop n=1",
	"m:tools/call is:request: stop(1s) n=1",
	"m:tools/list is:response: kill n=1",
	"m:tools/call is:request: status(503) n=1",
	"m:tools/call is:response: status(502) n=1",
	"m:tools/call is:response: close n=1",
}

// Series are the faults of a drill over a transport, fault.Stdio or fault.HTTP. The first
// has the seed, the second the seed plus 1, and so on.
func Series(over fault.Where, seed uint64) (fault.Faults, error) {
	var all fault.Faults
	for i, spec := range series {
		f, err := fault.Parse(fmt.Sprintf("%s seed=%d", spec, seed+uint64(i)))
		if err != nil {
			return nil, err
		}
		if (fault.Faults{f}).Over(over) == nil {
			all = append(all, f)
		}
	}
	return all, nil
}
