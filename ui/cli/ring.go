package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// leastRing is the smallest size of a ring's file, in bytes: each repeats the
// handshake.
const leastRing = 64 << 10

// ringFlag is a flag that holds a ring: size=64MiB,files=8.
type ringFlag recorder.Ring

func (f *ringFlag) String() string {
	if f.Size == 0 {
		return ""
	}
	return fmt.Sprintf("size=%s,files=%d", term.SizeWord(f.Size), f.Files)
}
func (f *ringFlag) Type() string { return "size=SIZE,files=N" }
func (f *ringFlag) Set(text string) error {
	ring := ringFlag{Files: 8}
	for word := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch name {
		case "size":
			ring.Size, err = format.ParseSize(value)
		case "files":
			ring.Files, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("%q is neither size nor files", name)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case ring.Size < leastRing:
		return fmt.Errorf("a ring's files have %s at least", term.SizeWord(leastRing))
	case ring.Files < 2:
		return fmt.Errorf("a ring has two files at least")
	}
	*f = ring
	return nil
}

// ringFlag adds the flag of a record that goes on for ever.
func (o *recordOptions) ringFlag(cmd *cobra.Command) {
	cmd.Flags().Var((*ringFlag)(&o.ring), "ring", "record into files of this size, and keep so many of the latest; each opens by itself")
	_ = cmd.RegisterFlagCompletionFunc("ring", cobra.FixedCompletions([]string{"size=64MiB,files=8"}, cobra.ShellCompDirectiveNoFileComp))
}

// checkRing refuses a ring where it cannot be kept.
func (o *recordOptions) checkRing() error {
	switch {
	case o.ring.Size == 0:
		return nil
	case o.none:
		return term.Usage("choose one of them", "--ring and --no-record given")
	case recorder.Packed(o.file) != "":
		return term.Usage("wiretea sessions compress packs its files afterwards", "--ring: a ring is recorded plain, not into %s", o.file)
	}
	return nil
}
