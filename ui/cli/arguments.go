package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"wiretea/ui/cli/term"
)

// hintArguments makes what the library says of the words behind each command say
// what to write instead.
func hintArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, words []string) error { return hinted(cmd, words, check(cmd, words)) }
	}
	if !cmd.Runnable() {
		cmd.RunE = func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return noSubcommand(cmd, words[0])
			}
			return cmd.Help()
		}
	}
	for _, sub := range cmd.Commands() {
		hintArguments(sub)
	}
}

// hinted words an error about the words behind a command, unless that was done.
func hinted(cmd *cobra.Command, words []string, err error) error {
	var f *term.Failure
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case len(words) == 0:
		return term.Usage(cmd.UseLine(), "%s: an argument is missing", cmd.CommandPath())
	case cmd.HasAvailableSubCommands():
		return noSubcommand(cmd, words[0])
	}
	return term.Usage(cmd.UseLine(), "%s does not take %q", cmd.CommandPath(), words[len(words)-1])
}

func noSubcommand(cmd *cobra.Command, word string) error {
	return term.Usage(cmd.CommandPath()+" --help lists the commands", "unknown command %q", cmd.CommandPath()+" "+word)
}
