package export

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wiretea/ui/cli/term"
)

func NewRedact() *cobra.Command {
	var o redactFlags
	var force bool
	cmd := &cobra.Command{
		Use:   "redact [flags] IN OUT",
		Short: "copy a recording without its secrets",
		Long: `Copies a recording and replaces secrets by placeholders: values of members, headers,
variables and flags with names like password or token, tokens of known formats,
private keys, passwords in URLs, random-looking strings, the name of your home folder,
and what you name. Equal secrets get the same placeholder everywhere, so the copy
pairs and replays like the original.

Replacements are reported by kind and number, never by value. The original is not
changed. OUT is compressed if its name ends in .gz or .zst; - is standard output.`,
		Example: `  wiretea redact session.mcpcap.jsonl share.mcpcap.jsonl
  wiretea redact --path '..arguments.patient' --pattern 'case \d+' in.mcpcap.jsonl out.mcpcap.jsonl.zst
  wiretea redact in.mcpcap.jsonl - | wiretea scan -`,
		Args: term.Args(2, 2, "wiretea redact IN OUT", "want the recording and the name of the copy"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0], args[1], force) },
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "replace OUT if it exists")
	return cmd
}

func (o *redactFlags) run(cmd *cobra.Command, in, out string, force bool) error {
	opt, err := o.options()
	if err != nil {
		return err
	}
	f, err := term.OpenRecording(in)
	if err != nil {
		return err
	}
	defer f.Close()
	errw := cmd.ErrOrStderr()
	shows := term.NewWaiting(errw)
	defer shows.Stop()
	r, err := learnSecrets(cmd.Context(), f, opt, shows)
	if err != nil {
		return err
	}
	shows.Begin("writing")
	write := func(w io.Writer) error { return r.Write(cmd.Context(), w) }
	if out == "-" {
		err = write(cmd.OutOrStdout())
	} else {
		err = term.SaveFile(out, in, force, term.Packed(out, write))
	}
	shows.Stop()
	if err != nil {
		var f *term.Failure
		if errors.As(err, &f) || term.ReaderGone(err) {
			return err
		}
		return &term.Failure{Code: term.ExitFound, Err: err}
	}
	saySecrets(errw, r)
	if out != "-" {
		fmt.Fprintf(errw, "wrote %s; look at it before you share it: wiretea open %s\n", out, out)
	}
	return nil
}
