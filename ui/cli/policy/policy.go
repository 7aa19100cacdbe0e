package policy

import (
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder/rehearsal"
	"wiretea/recorder/replay"
	"wiretea/session/decide/policy"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// New returns the command policy.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "check the rules of --policy, and try them on recordings",
		Long: `A policy is a TOML file. The first rule whose filter matches a request or a
notification counts: allow, deny, log, which forwards it and marks it in the record,
ask and hold, which have it wait for a person: see wiretea approve, or respond, which
answers it in its receiver's place: with result, a template, or from a recording.

  default = "allow"     # or "deny": where no rule matches
  on_error = "open"     # or "closed": deny what cannot be read as one message

  [[rule]]
  id = "no-shell"
  filter = "m:tools/call t:shell"
  action = "deny"
  reason = "commands are run by people"

  [[rule]]
  filter = "m:tools/call t~^read_file$"
  where = [{ field = "path", starts_with = "/etc/" }]
  action = "ask"

  [[rule]]
  filter = "m:tools/call t~^weather$"
  action = "respond"
  from = "yesterday.mcpcap.jsonl"

A policy is not a sandbox: it does not limit what the server itself does.`,
		Example: `  wiretea policy suggest session.mcpcap.jsonl > policy.toml
  wiretea policy check policy.toml
  wiretea policy test policy.toml --with session.mcpcap.jsonl
  wiretea tee --policy policy.toml -- ./server`,
	}
	cmd.AddCommand(newCheck(), newTest(), newSuggest())
	return cmd
}

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE", Short: "say what a policy does, or what is wrong with it", Args: term.Args(1, 1, "wiretea policy check FILE", "want a policy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := open(args[0])
			if err == nil {
				_, err = fmt.Fprint(cmd.OutOrStdout(), rehearsal.Explain(f.Policy()))
			}
			return err
		},
	}
}

func newTest() *cobra.Command {
	var with []string
	const usage = "wiretea policy test FILE --with RECORDING"
	cmd := &cobra.Command{
		Use: "test FILE --with RECORDING…", Short: "say which messages of recordings a policy would deny or ask about; exit code 1 if it denies any", Args: term.Args(1, 0, usage, "want a policy and recordings"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := open(args[0])
			if with = append(with, args[1:]...); len(with) == 0 {
				err = term.Usage(usage, "no recording is named")
			}
			if err != nil {
				return err
			}
			failed := 0
			for _, path := range with {
				f, s, err := term.Known(cmd.Context(), path, cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				res, err := rehearsal.Test(s, f, p)
				f.Close()
				if err != nil {
					return err
				}
				failed += res.Denied
				fmt.Fprint(cmd.OutOrStdout(), res.Text(path))
			}
			return term.Silently(min(failed, term.ExitFound))
		},
	}
	cmd.Flags().StringArrayVar(&with, "with", nil, "play the messages of the session file `RECORDING`; repeatable")
	return cmd
}

func newSuggest() *cobra.Command {
	return &cobra.Command{
		Use: "suggest RECORDING", Short: "write the least policy that lets a recording pass", Args: term.Args(1, 1, "wiretea policy suggest RECORDING", "want a recording"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, s, err := term.Known(cmd.Context(), args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer f.Close()
			text, batches := rehearsal.Suggest(s)
			if batches > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "wiretea: the messages of %s need rules of their own\n", format.Plural(int64(batches), "batch"))
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
}

// open reads a policy, and words what is wrong with it.
func open(path string) (*policy.File, error) {
	f, err := policy.Open(path, replay.ForPolicy)
	if err != nil {
		return nil, term.Usage("wiretea policy --help shows one", "%w", err)
	}
	return f, nil
}
