package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/demo"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

func NewDemo() *cobra.Command {
	var serve string
	var list, asJSON, isPlain bool
	var theme string
	cmd := &cobra.Command{
		Use:   "demo [NAME]",
		Short: "play the embedded server, healthy and misbehaving, with nothing installed",
		Long: `Runs the embedded demo server: a healthy conversation first, then one fault after
the other, each in a child process of its own. NAME runs only that behaviour.
--server serves it on stdin and stdout for any client, or for wiretea run.`,
		Example: `  wiretea demo
  wiretea demo log-line
  wiretea demo --list
  wiretea run --plain -- wiretea demo --server healthy`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeBehaviours,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case list:
				return listBehaviours(cmd.OutOrStdout(), asJSON)
			case serve != "":
				if err := knownBehaviour(serve); err != nil {
					return err
				}
				return term.Silently(demo.Serve(cmd.Context(), serve, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()))
			}
			scenes := demo.Tour()
			if len(args) == 1 {
				if err := knownBehaviour(args[0]); err != nil {
					return err
				}
				b, _ := demo.Lookup(args[0])
				scenes = []demo.Scene{{Behaviour: b, Says: "this server " + b.Title}}
			}
			return playDemo(cmd, scenes, isPlain, theme)
		},
	}
	cmd.Flags().StringVar(&serve, "server", "", "serve the behaviour `NAME` on stdin and stdout")
	cmd.Flags().BoolVar(&isPlain, "plain", false, "print the traffic line by line")
	display.ThemeFlag(cmd, &theme)
	cmd.Flags().BoolVar(&list, "list", false, "list the behaviours")
	cmd.Flags().BoolVar(&asJSON, "json", false, "list them as JSON")
	_ = cmd.RegisterFlagCompletionFunc("server", completeBehaviours)
	return cmd
}

func completeBehaviours(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, b := range demo.Names() {
		names = append(names, b.Name+"\t"+b.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func knownBehaviour(name string) error {
	// Lookup knows also those that Names leaves out.
	if _, known := demo.Lookup(name); known {
		return nil
	}
	var known []string
	for _, b := range demo.Names() {
		known = append(known, b.Name)
	}
	return term.Usage(format.Nearest(name, known, "wiretea demo --list names them"), "unknown behaviour %q", name)
}

func listBehaviours(w io.Writer, asJSON bool) error {
	all := demo.Names()
	if asJSON {
		type behaviour struct {
			Name  string   `json:"name"`
			Title string   `json:"title"`
			Shows []string `json:"shows"`
		}
		list := []behaviour{}
		for _, b := range all {
			list = append(list, behaviour{b.Name, b.Title, knownRules(b.Shows)})
		}
		return json.NewEncoder(w).Encode(list)
	}
	var table term.Table
	for _, b := range all {
		table.Add(b.Name, b.Title)
	}
	_, err := io.WriteString(w, table.String())
	return err
}

// knownRules are those of the ids that the catalogue has: the demo is ahead of it
// with some faults.
func knownRules(ids []string) []string {
	known := []string{}
	for _, id := range ids {
		if check.Lookup(id) != nil {
			known = append(known, id)
		}
	}
	return known
}

// playDemo plays scenes on the screen, or where there is none line by line.
func playDemo(cmd *cobra.Command, scenes []demo.Scene, isPlain bool, theme string) error {
	if isPlain || display.FallsBack(cmd) {
		return playPlain(cmd, scenes)
	}
	code, err := showDemo(cmd.Context(), scenes, theme, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return term.Silently(code)
}

// playPlain plays the scenes one after the other until ctx ends.
func playPlain(cmd *cobra.Command, scenes []demo.Scene) error {
	for i, scene := range scenes {
		if cmd.Context().Err() != nil {
			return nil
		}
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		if err := playScene(cmd, scene); err != nil {
			return err
		}
	}
	if len(scenes) > 1 {
		fmt.Fprintf(cmd.OutOrStdout(), "\nNow your own server: wiretea run --plain -- CMD ARGS…\n")
	}
	return nil
}

// playScene runs one behaviour as a child process and prints its session. Its
// faults are the point, so they do not make the exit code.
func playScene(cmd *cobra.Command, scene demo.Scene) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own binary: %w", err)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "── %s %s\n   %s\n\n", scene.Name, strings.Repeat("─", max(0, 74-len(scene.Name))), scene.Says)
	o := runOptions{
		Session: demoSession(self, scene.Name),
		sends:   scene.Calls,
		pace:    scene.Pace,
		linger:  scene.Linger,
		quiet:   true,
	}
	if scene.Patience > 0 {
		o.Server.Limits.Timeout = scene.Patience
		o.Client.ProbeTimeout = min(scene.Patience, time.Second)
	}
	_, err = o.play(cmd.Context(), nil, out, cmd.ErrOrStderr())
	if cmd.Context().Err() == context.Canceled {
		return nil
	}
	return err
}

// demoSession is the session of a behaviour of the embedded server, which is not
// recorded.
func demoSession(self, server string) flags.Session {
	return flags.Session{
		Server: flags.Server{Argv: demoCommand(self, server), Limits: session.DefaultLimits()},
		Record: flags.Record{Record: capture.Record{None: true}},
	}
}

// demoCommand starts our own binary as a behaviour.
func demoCommand(self, server string) []string { return []string{self, "demo", "--server", server} }
