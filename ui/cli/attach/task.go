package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// taskable refuses a line that cannot be sent as a task.
func taskable(line string) error {
	switch method, _, err := client.ParseLine(line); {
	case err != nil:
		return term.Usage("", "%w", err)
	case method == "":
		return term.Usage(`say it as METHOD PARAMS: --task --send 'tools/call {"name":"brew"}'`, "--task: a whole message goes as it is")
	case client.IsNotification(method):
		return term.Usage("only a request can be a task", "--task: %s is a notification", term.Visible(method))
	}
	return nil
}

// follow sends a request that is to be run as a task, follows the task to its end
// and prints the result. It returns the exit code that this calls for.
func (i *injector) follow(ctx context.Context, guest *client.Guest, line string) (code int, err error) {
	method, params, err := client.ParseLine(line)
	if err != nil {
		return 0, term.Usage("", "%w", err)
	}
	guest.Control, guest.Asker, guest.Timeout = i.control, i.taskAsker(), i.limit
	what := format.Visible([]byte(method), 80)
	began := time.Now()
	reply, err := guest.Do(ctx, method, params, &client.TaskOptions{TTL: i.ttl, Status: func(t client.Task) { i.told(guest, what, t) }})
	took := format.Duration(int64(time.Since(began)))
	var answer *client.RPCError
	var late *client.TimeoutError
	switch {
	case err == nil, errors.As(err, &answer):
	case errors.As(err, &late):
		return 0, &term.Failure{
			Code: term.ExitTimeout, Hint: "--timeout gives each request of the task more time",
			Err: fmt.Errorf("%s: %w; it has been withdrawn at the server", what, err),
		}
	case errors.Is(err, client.ErrTask):
		fmt.Fprintf(i.errw, "wiretea: %s after %s\n", term.Visible(err.Error()), took)
		return term.ExitFound, nil
	case ctx.Err() != nil:
		return 0, &term.Failure{Code: term.ExitTimeout, Err: fmt.Errorf("%s was withdrawn at the server, and a task of it cancelled: stopped by you", what)}
	default:
		return 0, i.failed(what, 0, ctx, err)
	}
	words, result := "answered", reply.Result
	switch {
	case answer != nil:
		code, words, result = term.ExitFound, "answered with an error", reply.Error
	case client.ToolFailed(reply.Result):
		code, words = term.ExitFound, "answered, the tool reports an error (isError),"
	}
	kind := "not as a task"
	if reply.Task != nil {
		kind = "as task " + format.Visible([]byte(reply.Task.ID), 60)
	}
	fmt.Fprintf(i.errw, "wiretea: %s, %s: %s after %s; the client received none of it\n", what, kind, words, took)
	return code, i.print(result)
}

// told tells of a state of the task that a request has become.
func (i *injector) told(guest *client.Guest, what string, t client.Task) {
	fmt.Fprintf(i.errw, "wiretea: %s\n", term.Visible(term.TaskLine(what, t)))
	if era, _ := guest.Speaks(); t.Status == "input_required" && era != mcp.Modern {
		fmt.Fprintf(i.errw, "wiretea: the task asks the client, and only the client can answer; ctrl-c cancels the task\n")
	}
}

// taskAsker answers what the task asks in the modern era: the person at the terminal
// does, else it is declined and the user is told.
func (i *injector) taskAsker() client.Asker {
	if asker := i.asker(i.in, i.errw); asker != nil {
		return asker
	}
	return client.AskerFunc(func(ctx context.Context, q client.Question) client.Answer {
		fmt.Fprintf(i.errw, "wiretea: the server asks (%s): declined, standard input is not a terminal\n", term.Visible(q.Method))
		return client.Decliner.Ask(ctx, q)
	})
}

// guest speaks in the name of the session's client, as far as it has said who it is.
func (i *injector) guest(analyzer *session.Analyzer) *client.Guest {
	return &client.Guest{Speaks: func() (mcp.Era, json.RawMessage) { return capture.Speaks(analyzer.Snapshot(), i.file) }}
}
