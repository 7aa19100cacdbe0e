package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/verdict/project"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// settings reads the file of the folder, or that of --config, takes from it what the
// flags do not say and what may count, and says so. A file that does not exist says
// nothing.
func (o *checkOptions) settings(cmd *cobra.Command) error {
	file := cmp.Or(o.config, project.File)
	set, err := project.Read(file)
	if errors.Is(err, fs.ErrNotExist) && o.config == "" {
		return nil
	}
	if err != nil {
		return settingsFault(file, err)
	}
	accepted := o.config != "" // the user has named it
	if !accepted {
		store, err := project.OpenStore()
		if err != nil {
			return err
		}
		accepted = store.Accepts(set)
	}
	var taken []string
	for _, one := range set.Counting(accepted) {
		took, err := o.take(cmd, file, one)
		if err != nil {
			return err
		}
		if took {
			taken = append(taken, format.Visible([]byte(one.String()), 200))
		}
	}
	o.hold.keepLock = !accepted && !cmd.Flags().Changed("tools-lock")
	var waiting []string
	for _, one := range set.Waiting() {
		if !accepted {
			waiting = append(waiting, one.Name)
		}
	}
	says := strings.Join(taken, "; ")
	if len(waiting) > 0 {
		says = strings.TrimPrefix(says+"; until wiretea trust accepts the file, these do not count: "+strings.Join(waiting, ", "), "; ")
	}
	if says != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", term.Visible(file), says)
	}
	return nil
}

// settingsFault words an error of a file of settings.
func settingsFault(file string, err error) error {
	var unknown *project.UnknownError
	var outside *project.OutsideError
	hint := "correct it, or run check in another folder"
	if failed, ok := errors.AsType[*fs.PathError](err); ok && failed.Path == file {
		err = failed.Err
	}
	switch {
	case errors.As(err, &unknown):
		hint = format.Nearest(unknown.Name, project.Names(), "wiretea check --help lists the possible settings")
	case errors.As(err, &outside):
		hint = "name a file in this folder, or use the flag"
	}
	return term.Usage(hint, "%s: %w", term.Visible(file), err)
}

// take sets the flag of a setting, and reports whether it does so: a flag that was given
// counts instead. Of those that add to the flags, the flags count where both name the
// same.
func (o *checkOptions) take(cmd *cobra.Command, file string, one project.Setting) (bool, error) {
	switch one.Name {
	case "ignore":
		o.hold.ignores = append(o.hold.ignores, one.Values...)
		return true, nil
	case "severity":
		o.hold.severities = slices.Concat(one.Values, o.hold.severities)
		return true, nil
	case "max-latency":
		o.hold.latencies = append(o.hold.latencies, one.Values...)
		return true, nil
	}
	f := cmd.Flags().Lookup(one.Name)
	if f.Changed {
		return false, nil
	}
	for _, value := range one.Values {
		if err := f.Value.Set(value); err != nil {
			return false, term.Usage("correct it in "+term.Visible(file), "%s: %s = %q: %w", term.Visible(file), one.Name, value, err)
		}
	}
	return true, nil
}

// NewTrust is the command trust.
func NewTrust() *cobra.Command {
	var yes, list, forget bool
	cmd := &cobra.Command{
		Use:   "trust [FOLDER]",
		Short: "accept the settings of a folder's " + project.File,
		Long: `Shows what the file ` + project.File + ` of a folder would have wiretea check run, or
ignore, and asks whether that may count. What is accepted is the content of the file,
and of the baseline that it names: after a change it does not count. The list is kept
in ~/.local/state/wiretea/accepted. In CI, wiretea check --config FILE takes a file
as it is.`,
		Example: "  wiretea trust\n  wiretea trust --yes ./my-server\n  wiretea trust --list\n  wiretea trust --forget",
		Args:    term.Args(0, 1, "wiretea trust FOLDER", ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := project.OpenStore()
			if err != nil {
				return err
			}
			file := project.File
			if len(args) > 0 {
				file = args[0] + "/" + project.File
				if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
					return term.Usage("name the folder that has "+project.File, "%s is not a folder", term.Visible(args[0]))
				}
			}
			switch {
			case list:
				var table format.Table
				for _, a := range store.List() {
					table.Add(term.Visible(a.Path), a.State())
				}
				if len(table.Lines()) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "no settings are accepted")
				}
				_, err := fmt.Fprint(cmd.OutOrStdout(), strings.Join(append(table.Lines(), ""), "\n"))
				return err
			case forget:
				return forgetSettings(cmd, store, file)
			}
			return acceptSettings(cmd, store, file, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&list, "list", false, "list the accepted files")
	cmd.Flags().BoolVar(&forget, "forget", false, "no longer accept the file")
	cmd.MarkFlagsMutuallyExclusive("yes", "list", "forget")
	return cmd
}

func forgetSettings(cmd *cobra.Command, store *project.Store, file string) error {
	path := project.Place(file)
	err := store.Forget(path)
	if errors.Is(err, fs.ErrNotExist) {
		return term.Usage("wiretea trust --list names those that are", "%s is not accepted", term.Visible(path))
	}
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "forgotten: %s\n", term.Visible(path))
	}
	return err
}

// acceptSettings shows what waits for it, asks, and accepts the content that was shown.
func acceptSettings(cmd *cobra.Command, store *project.Store, file string, yes bool) error {
	set, err := project.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return term.Usage("wiretea trust FOLDER names another folder", "there is no %s", term.Visible(file))
	}
	if err != nil {
		return settingsFault(file, err)
	}
	in, errw := cmd.InOrStdin(), cmd.ErrOrStderr()
	fmt.Fprintln(errw, term.Visible(set.Path))
	for _, one := range set.All {
		fmt.Fprintf(errw, "  %s (%s)\n", term.Visible(one.String()), one.Effect)
	}
	switch {
	case len(set.Waiting()) == 0 && len(set.All) == 0:
		fmt.Fprintln(errw, "  it sets nothing")
	case yes:
	case !term.IsTerminal(in):
		return term.Usage("--yes accepts them without asking", "standard input is not a terminal, so nothing confirms that these settings may count")
	case !term.Agreed(in, errw, "Accept these settings? [y/N] "):
		return term.Usage("nothing was accepted", "not confirmed")
	}
	if err := store.Accept(set); err != nil {
		return fmt.Errorf("remembering what was accepted: %w", err)
	}
	fmt.Fprintln(errw, "accepted")
	return nil
}
