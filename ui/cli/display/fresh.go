package display

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/text"
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
	o.identity.Until = cmd.Context
	cmd.Flags().StringVar(&o.identity.Sampling, "sampling", "decline", "response to its sampling requests: decline, text:WORDS, a `FILE` of answers; none = not declared")
	cmd.Flags().StringVar(&o.identity.Elicitation, "elicitation", "decline", "response to its elicitation requests: accept, decline, a `FILE` of answers; none = not declared")
}

// Check finds out before anything is shown whether the flags are wrong.
func (o *FreshOptions) Check() error {
	if _, err := text.SplitWords(o.server); err != nil {
		return term.Usage(`--server 'node server.js --port "8080"'`, "--server: %w", err)
	}
	return o.identity.Apply(new(client.Config), nil)
}

// Fresh implements screen.Fresher.
func (s *Recording) Fresh() source.FreshServer {
	if words, err := text.SplitWords(s.fresh.server); err == nil && len(words) > 0 {
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
	server := s.Fresh()
	o := flags.Session{
		Server: flags.Server{Argv: server.Argv, Cwd: server.Dir, Limits: session.DefaultLimits()},
		Client: flags.Client{Identity: s.fresh.identity, Roots: []string{"none"}},
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
	got, err := s.trials.Do(ctx, cfg, t.Request)
	if c := (*capture.ConnectError)(nil); errors.As(err, &c) {
		err = term.StartFailure(c.Err)
	}
	got.Server = term.Visible(got.Server)
	return source.Tried(got), err
}
