package term

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/session/json/diff"
)

// Args wants at least so many words behind a command, and at most so many; most 0 is
// any number. missing is said where there are too few.
func Args(least, most int, hint, missing string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 && least > 0:
			return Usage(hint, "%s", missing)
		case len(args) < least:
			return Usage(hint, "%s, %d given", missing, len(args))
		case most > 0 && len(args) > most:
			return Usage(hint, "%d arguments given, want %d", len(args), most)
		}
		return nil
	}
}

// Paths parses the values of a flag that names places in messages.
func Paths(flag string, texts []string) (paths []diff.Path, err error) {
	for _, text := range texts {
		path, err := diff.ParsePath(text)
		if err != nil {
			return nil, Usage("as in .result.content[0].text, .items[*].time or ..timestamp", "--%s: %w", flag, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Complete has a flag completed with these words.
func Complete(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// Agreed asks a question and reports whether the answer is yes.
func Agreed(in io.Reader, errw io.Writer, question string) bool {
	fmt.Fprint(errw, question)
	answer, _ := bufio.NewReader(in).ReadString('\n') // No answer is none.
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true
	}
	return false
}
