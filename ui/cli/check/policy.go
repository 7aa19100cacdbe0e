package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/mcp"
	"wiretea/session/path"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// New returns the command policy.
func NewPolicy() *cobra.Command {
	const usage = "wiretea policy FILE [RECORDING…]"
	return &cobra.Command{
		Use:   "policy FILE [RECORDING…]",
		Short: "explain the rules of --policy, and try them on recordings",
		Long: `Say what a policy does, or what is wrong with it. With recordings, say which of their
messages it would deny, ask about or hold; exit code 1 if it denies any.

A policy is a TOML file. The first rule whose filter matches a request or a
notification counts: allow, deny, log, which forwards it and marks it in the record,
ask and hold, which have it wait for a person at the screen of wiretea attach.

  default = "allow"     # or "deny": where no rule matches
  on_error = "open"     # or "closed": deny what cannot be read as one message

  [[rule]]
  id = "no-shell"
  filter = "m:tools/call t:shell"
  action = "deny"
  reason = "commands are run by people"

  [[rule]]
  filter = "m:tools/call t~^read_file$ -j:.params.arguments.path=/srv/readme.md"
  action = "ask"

A policy is not a sandbox: it does not limit what the server itself does.`,
		Example: `  wiretea policy policy.toml
  wiretea policy policy.toml session.mcpcap.jsonl
  wiretea tee --policy policy.toml -- ./server`,
		Args: term.Args(1, 0, usage, "want a policy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := path.OpenPolicy(args[0])
			if err != nil {
				return term.Usage("wiretea policy --help shows one", "%w", err)
			}
			if len(args) == 1 {
				return explain(cmd.OutOrStdout(), p.Policy())
			}
			denied := 0
			for _, path := range args[1:] {
				f, s, err := term.Judged(cmd.Context(), path, session.Limits{}, cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				n, err := try(cmd.OutOrStdout(), path, s, f, p)
				f.Close()
				if err != nil {
					return err
				}
				denied += n
			}
			return term.Silently(min(denied, term.ExitFound))
		},
	}
}

// explain writes what a policy does, a rule a line, and what its author may not have meant.
func explain(w io.Writer, p *path.Policy) error {
	var b strings.Builder
	fmt.Fprintln(&b, p)
	width, action := 0, len("allow")
	for _, r := range p.Rules {
		width, action = max(width, len(r.ID)), max(action, len(r.Action.String()))
	}
	for _, r := range p.Rules {
		line := fmt.Sprintf("  %-*s  %-*s  %s", width, r.ID, action, r.Action, r.Filter)
		if r.Reason != "" {
			line += "  (" + r.Reason + ")"
		}
		fmt.Fprintln(&b, text.Line(line))
	}
	for _, m := range []filter.Passing{
		{Stream: session.C2S, Kind: session.RowRequest, Method: mcp.Initialize},
		{Stream: session.C2S, Kind: session.RowNotification, Method: mcp.InitializedNotification},
		{Stream: session.C2S, Kind: session.RowRequest, Method: mcp.ServerDiscover},
	} {
		if action, rule := p.Judge(&m); action == path.Deny {
			fmt.Fprintln(&b, text.Line(fmt.Sprintf("note: rule %s denies %s, with which sessions begin", rule.ID, m.Method)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
