package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/ui/format"
	"wiretea/ui/style"
)

// ThemeFlag adds --theme to a command.
func ThemeFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().Var((*themeName)(name), "theme", "colour theme of the screen, by `NAME`; completion lists them")
	_ = cmd.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return style.Names(), cobra.ShellCompDirectiveNoFileComp
	})
}

// A themeName is the value of --theme: the name of a theme.
type themeName string

func (f *themeName) String() string { return string(*f) }
func (f *themeName) Type() string   { return "NAME" }

func (f *themeName) Set(text string) error {
	if !slices.ContainsFunc(style.Names(), func(known string) bool { return strings.EqualFold(known, text) }) {
		return fmt.Errorf("%q is not a theme: %s", text, format.Nearest(text, style.Names(), "light and dark come from the terminal, completion lists the themes"))
	}
	*f = themeName(text)
	return nil
}
