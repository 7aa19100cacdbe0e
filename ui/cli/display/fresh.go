package display

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/source"
)

// FreshOptions say which server a request of a recording is sent to again.
type FreshOptions struct {
	server   string // server is the command line; empty means the recorded one.
	identity flags.Identity
}

// Add adds the flags to a command.
func (o *FreshOptions) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.server, "server", "", "send requests again (r) to this `CMD` instead of the recorded one")
	cmd.Flags().StringVar(&o.identity.Sampling, "sampling", "decline", "response to its sampling requests: decline, text:WORDS, a `FILE` of answers; none = not declared")
	cmd.Flags().StringVar(&o.identity.Elicitation, "elicitation", "decline", "response to its elicitation requests: accept, decline, a `FILE` of answers; none = not declared")
}

// Check finds out before anything is shown whether the flags are wrong.
func (o *FreshOptions) Check() error {
	if _, err := splitWords(o.server); err != nil {
		return term.Usage(`--server 'node server.js --port "8080"'`, "--server: %w", err)
	}
	return o.identity.Apply(new(client.Config), nil)
}

// freshServers starts servers for the requests of a recording, and ends them with it.
type freshServers struct {
	opt FreshOptions

	mu   sync.Mutex // mu guards what follows.
	over bool
	work sync.WaitGroup
	ends []context.CancelFunc
}

// errNoFresh is returned when a request comes after its recording was left.
var errNoFresh = errors.New("the recording has been closed")

// begin makes room for one server. It ends with the recording.
func (f *freshServers) begin(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		cancel()
		return nil, nil, errNoFresh
	}
	f.work.Add(1)
	f.ends = append(f.ends, cancel)
	return ctx, func() { cancel(); f.work.Done() }, nil
}

// end ends all servers, and returns when they have exited.
func (f *freshServers) end() {
	f.mu.Lock()
	f.over = true
	for _, cancel := range f.ends {
		cancel()
	}
	f.mu.Unlock()
	f.work.Wait()
}

// Fresh implements screen.Fresher.
func (s *Recording) Fresh() source.FreshServer {
	if words, err := splitWords(s.fresh.opt.server); err == nil && len(words) > 0 {
		return source.FreshServer{Argv: words, Chosen: true}
	}
	return recordedServer(s.Snapshot().Header())
}

// recordedServer is the server that a recording's header describes.
func recordedServer(h *session.Header) source.FreshServer {
	switch {
	case h == nil:
		return source.FreshServer{Why: "the recording does not name its server"}
	case h.Trans != "stdio" && h.Trans != "http" && h.Trans != "":
		return source.FreshServer{Why: "the recorded server is not a command (" + term.Visible(h.Trans) + "); name one with --server 'CMD'"}
	case len(h.Server()) == 0:
		return source.FreshServer{Why: "the recording does not contain the server's command; name one with --server 'CMD'"}
	}
	return source.FreshServer{Argv: h.Server(), Dir: h.Cwd, Env: h.EnvKeys}
}

// Try implements screen.Fresher.
func (s *Recording) Try(ctx context.Context, t source.Trial) (source.Tried, error) {
	ctx, done, err := s.fresh.begin(ctx)
	if err != nil {
		return source.Tried{}, err
	}
	defer done()
	server := s.Fresh()
	o := flags.Session{
		Server: flags.Server{Argv: server.Argv, Cwd: server.Dir, Limits: session.DefaultLimits()},
		Client: flags.Client{Identity: s.fresh.opt.identity, Roots: []string{"none"}},
		Record: flags.Record{Record: capture.Record{None: true}},
	}
	switch {
	case t.Era == mcp.Legacy:
		o.Client.Era = "legacy"
	case t.Era == mcp.Modern:
		o.Client.Era = "modern"
	}
	if _, published := mcp.ParseVersion(t.Version); published {
		o.Client.ProtocolVersion = t.Version
	}
	cfg, err := o.Config()
	if err != nil {
		return source.Tried{}, err
	}
	return try(ctx, cfg, t)
}

// try starts the server, sends the request, and ends the server.
func try(ctx context.Context, cfg capture.Config, t source.Trial) (got source.Tried, err error) {
	run, err := capture.New(cfg)
	if err != nil {
		return got, err
	}
	defer func() {
		err = errors.Join(err, run.Close(ctx, "quit"), run.Release())
		if ctx.Err() != nil {
			err = context.Canceled
		}
	}()
	c, err := run.Connect(ctx)
	if err != nil {
		return got, term.StartFailure(err)
	}
	got.Server = term.Visible(strings.TrimSpace(c.Server().Name + " " + c.Server().Build))
	begun := time.Now()
	reply, err := c.Do(ctx, t.Method, json.RawMessage(t.Params), client.Options{})
	got.Took = time.Since(begun)
	if reply != nil {
		got.Took = reply.Received.Sub(reply.Sent)
	}
	var answer *client.RPCError
	switch {
	case errors.As(err, &answer):
		got.Error, got.Body = true, errorBody(reply, answer)
		return got, nil
	case err != nil:
		return got, err
	}
	got.Body = reply.Result
	return got, nil
}

// errorBody is an error answer, as it came where that is known.
func errorBody(reply *client.Reply, answer *client.RPCError) []byte {
	if reply != nil && len(reply.Error) > 0 {
		return reply.Error
	}
	body, err := json.Marshal(struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{answer.Code, answer.Message, answer.Data})
	if err != nil {
		return []byte("{}") // its data is not JSON
	}
	return body
}

// splitWords splits a command line as a shell does: at spaces, but for those behind a
// backslash and within quotes. Nothing is expanded.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inside, escaped := rune(0), false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inside {
				words = append(words, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case escaped:
		return nil, errors.New("the line ends with a backslash")
	case inside:
		words = append(words, word.String())
	}
	return words, nil
}
