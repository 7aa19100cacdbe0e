package files

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/inventory"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// sessionArgs wants names of recordings.
func sessionArgs() cobra.PositionalArgs {
	return term.Args(1, 0, "wiretea sessions ls names them", "no recording given")
}

// completeSessions completes names of recordings, and paths.
func completeSessions(dir *string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return term.SessionNames(*dir), cobra.ShellCompDirectiveDefault
	}
}

func newRemove(dir *string) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm NAME…",
		Short: "remove recordings with their indexes; live ones are refused",
		Long: `Removes recordings and their indexes. It asks first on a terminal, and needs --yes
without one. Live sessions and files that are not recordings are refused.`,
		Example: `  wiretea sessions rm 20261120-100000-everything-4711
  wiretea sessions rm --yes ./old.mcpcap.jsonl`,
		Args:              sessionArgs(),
		ValidArgsFunction: completeSessions(dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []recorder.Info
			for _, name := range args {
				info, err := removable(recorder.Find(*dir, name))
				if err != nil {
					return err
				}
				list = append(list, info)
			}
			if err := mayRemove(cmd, list, yes); err != nil {
				return err
			}
			for _, info := range list {
				if err := RemoveSession(info.Path); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "removed %s\n", info.Path)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// mayRemove asks whether recordings may go. Where nobody can be asked, the flag has
// to say so.
func mayRemove(cmd *cobra.Command, list []recorder.Info, yes bool) error {
	if yes || len(list) == 0 {
		return nil
	}
	what := sizeOf(list)
	in, errw := cmd.InOrStdin(), cmd.ErrOrStderr()
	if !term.IsTerminal(in) || !term.IsTerminal(errw) {
		return term.Usage("--yes removes them without asking", "standard input is not a terminal, so nothing confirms that %s may be removed", what)
	}
	for _, info := range list {
		fmt.Fprintf(errw, "  %s  %s  %s\n", recorder.SessionName(info.Path), inventory.Started(info.Summary.Start), text.Size(info.Size))
	}
	if !term.Agreed(in, errw, "Remove "+what+"? [y/N] ") {
		return term.Usage("nothing was removed", "not confirmed")
	}
	return nil
}

// sizeOf says how many recordings there are and what they take.
func sizeOf(list []recorder.Info) string {
	var total int64
	for _, info := range list {
		total += info.Size
	}
	return text.Plural(int64(len(list)), "session") + ", " + text.Size(total)
}

func newPrune(dir *string) *cobra.Command {
	policy := recorder.DefaultPolicy
	var dry, yes bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "remove old recordings; live ones are never touched",
		Long: `Removes recordings beyond the limits of age and size. Commands that record do the same
with their folder. The defaults are max_age and max_disk under [limits]
in config.toml.`,
		Example: `  wiretea sessions prune --dry-run
  wiretea sessions prune --older-than 7d --max-size 500MiB --keep 5 --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			set := term.SessionsPolicy()
			if !cmd.Flags().Changed("older-than") {
				policy.MaxAge = set.MaxAge
			}
			if !cmd.Flags().Changed("max-size") {
				policy.MaxBytes = set.MaxBytes
			}
			return pruneSessions(cmd, *dir, policy, dry, yes)
		},
	}
	f := cmd.Flags()
	f.Var((*term.AgeFlag)(&policy.MaxAge), "older-than", "remove what is older; 0 = no limit")
	f.Var((*term.SizeFlag)(&policy.MaxBytes), "max-size", "remove the oldest until the folder is smaller; 0 = no limit")
	f.IntVar(&policy.Keep, "keep", policy.Keep, "always keep this many of the latest")
	f.BoolVarP(&dry, "dry-run", "n", false, "only print what would be removed")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func pruneSessions(cmd *cobra.Command, dir string, policy recorder.Policy, dry, yes bool) error {
	now := time.Now()
	list, err := recorder.Excess(dir, policy, now)
	if err != nil {
		return err
	}
	out, errw := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if dry {
		for _, info := range list {
			fmt.Fprintf(out, "would remove %s\n", recorder.SessionName(info.Path))
		}
		fmt.Fprintf(errw, "%s would be removed\n", sizeOf(list))
		return nil
	}
	if err := mayRemove(cmd, list, yes); err != nil {
		return err
	}
	// What was asked about is removed, and nothing that is too much by now.
	removed, err := recorder.RemoveAll(list)
	for _, info := range removed {
		fmt.Fprintf(out, "removed %s\n", recorder.SessionName(info.Path))
	}
	fmt.Fprintf(errw, "%s removed\n", sizeOf(removed))
	return err
}
