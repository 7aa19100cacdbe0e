package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"wiretea/session"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/client/http"
	"wiretea/session/text"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
	"wiretea/ui/keys"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/viewer"
)

// attachOptions are the flags of attach.
type attachOptions struct {
	dir    string
	list   bool
	plain  bool
	json   bool
	filter string
	theme  string

	send    []string      // send are lines to send into the session.
	yes     bool          // yes: they are not asked for.
	timeout time.Duration // timeout is how long an answer is waited for; 0 = the session's limit.

	http flags.HTTP // http is for the session of a proxy.
}

func New() *cobra.Command {
	var o attachOptions
	cmd := &cobra.Command{
		Use:   "attach [flags] [SESSION|PID]",
		Short: "watch a session that is being recorded",
		Long: `Shows a live session, recorded by wiretea tee or wiretea run in another process, from
its first byte on. Name it by its recording, the server's name, or the process id of
server, client or tee. Any number of viewers can attach; the session is not affected.

--send sends a request of your own to the server, between the client's messages. Its
response is printed and does not reach the client; server requests and other
notifications that it causes do. The recording marks both. In the session of a proxy,
it goes through the proxy in an MCP session of its own, with the credentials that you
give.`,
		Example: `  wiretea attach
  wiretea attach filesystem
  wiretea attach --list
  wiretea attach --plain --filter 'm:tools/call' 4711
  wiretea attach --send tools/list --yes filesystem`,
		Args:              term.Args(0, 1, "wiretea attach --list names them; only one session can be watched at a time", ""),
		ValidArgsFunction: liveNames(&o.dir),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, strings.Join(args, "")) },
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "sessions", "", "look in this `FOLDER` (default ~/.local/state/wiretea/sessions)")
	f.BoolVar(&o.list, "list", false, "list the live sessions")
	f.BoolVar(&o.plain, "plain", false, "print the traffic line by line")
	f.BoolVar(&o.json, "json", false, "print the traffic, or the list, as JSON")
	f.StringVar(&o.filter, "filter", "", "show only what matches, as in 'm:tools/call lat>500ms'")
	f.StringArrayVar(&o.send, "send", nil, "send this `LINE` to the server, as in 'tools/call {\"name\":\"echo\"}', and print the answer; repeatable")
	f.BoolVar(&o.yes, "yes", false, "with --send: do not ask first")
	f.DurationVar(&o.timeout, "timeout", 0, "with --send: how long to wait for an answer (default: the session's limit)")
	o.http.Add(cmd)
	display.ThemeFlag(cmd, &o.theme)
	return cmd
}

// liveNames completes the names of live sessions in a folder.
func liveNames(dir *string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		live, _ := capture.LiveSessions(*dir) // without a folder there are none
		for _, l := range live {
			names = append(names, recorder.SessionName(l.Path))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (o *attachOptions) run(cmd *cobra.Command, what string) error {
	if len(o.send) == 0 && (o.yes || o.timeout != 0) {
		return term.Usage("--send LINE is the request", "--yes and --timeout go with --send")
	}
	live, err := capture.LiveSessions(o.dir)
	if err != nil {
		return err
	}
	if o.list {
		for i := range live {
			live[i].Ask(cmd.Context())
		}
		return writeLive(cmd.OutOrStdout(), live, o.json, time.Now())
	}
	path, err := o.chooseOne(cmd, live, what)
	switch {
	case errors.Is(err, errNoneChosen):
		return nil
	case err != nil:
		return err
	}
	if len(o.send) > 0 {
		return o.injectLines(cmd, path)
	}
	if o.plain || o.json || display.FallsBack(cmd) {
		return term.PrintRecording(cmd, path, o.filter, o.json)
	}
	opt, err := o.http.Beside(nil)
	if err != nil {
		return err
	}
	return o.show(cmd.Context(), path, opt, cmd.OutOrStdout())
}

// show runs the screen on the session, and says what becomes of it when the user leaves.
func (o *attachOptions) show(ctx context.Context, path string, opt http.Options, out io.Writer) error {
	says := &display.Notices{}
	src, err := viewer.OpenAttached(path, opt, says)
	if err != nil {
		return term.RecordingFailure(path, err)
	}
	defer src.Close()
	if err := display.Show(ctx, screen.Options{Sources: []source.Source{src}, Filter: o.filter}, says, o.theme, nil); err != nil {
		return err
	}
	standing := src.Standing()
	switch s := src.Snapshot(); {
	case standing != nil:
	case s.End() == nil:
		standing = []string{"the session is incomplete: " + session.NoEnd}
	default:
		standing = []string{viewer.ClosingLine(s)}
	}
	_, err = fmt.Fprintln(out, strings.Join(standing, "\n"))
	return err
}

// chooseOne finds the session that is meant. Where several may be, and there is a
// person at a terminal who wants to see one, they choose.
func (o *attachOptions) chooseOne(cmd *cobra.Command, live []capture.LiveSession, what string) (string, error) {
	headless := o.plain || o.json || len(o.send) > 0 || display.CanShow(cmd.InOrStdin(), cmd.OutOrStdout()) != ""
	found := meant(live, what)
	if headless || len(found) < 2 {
		return Choose(live, what, o.dir)
	}
	set, _ := display.Settings(cmd.ErrOrStderr(), o.theme)
	bound, _ := keys.Rebind(set.Keys) // Settings has said what is wrong with them
	return pick(cmd.Context(), bound, display.Restyling(set, term.Getenv("NO_COLOR") != ""), found, func() ([]capture.LiveSession, error) {
		live, err := capture.LiveSessions(o.dir)
		return meant(live, what), err
	})
}

// meant are the sessions that a word names; without one, all of them.
func meant(live []capture.LiveSession, what string) []capture.LiveSession {
	return slices.DeleteFunc(slices.Clone(live), func(l capture.LiveSession) bool { return what != "" && !l.Is(what) })
}

// Choose finds the session that is meant, by the path of its recording too; without a word,
// the only one there is.
func Choose(live []capture.LiveSession, what, dir string) (string, error) {
	if strings.ContainsRune(what, filepath.Separator) {
		return what, nil
	}
	found := meant(live, what)
	switch {
	case len(found) == 1:
		return found[0].Path, nil
	case len(live) == 0 && what == "":
		return "", term.Usage("wiretea wrap CLIENT SERVER puts the tee in front of a client's server; the client's next start creates a session", "no session is live")
	case len(found) == 0:
		if info, err := os.Stat(what); err == nil && info.Mode().IsRegular() {
			return what, nil
		}
		hint := "wiretea attach --list names the live sessions"
		if folder, err := recorder.SessionsFolder(dir); err == nil {
			if info, err := recorder.Stat(recorder.PathIn(folder, what)); err == nil && info.Err == nil {
				hint = "it has ended; wiretea open " + text.ShellFile(info.Path) + " shows it"
			}
		}
		return "", term.Usage(hint, "no live session %q", what)
	}
	var names []string
	for _, l := range found {
		names = append(names, recorder.SessionName(l.Path))
	}
	return "", term.Usage("name one of them: "+strings.Join(names, ", "), "%s are live", text.Plural(int64(len(found)), "session"))
}

func writeLive(w io.Writer, live []capture.LiveSession, asJSON bool, now time.Time) error {
	if asJSON {
		return json.NewEncoder(w).Encode(inventory.ListLive(live))
	}
	if len(live) == 0 {
		_, err := fmt.Fprintln(w, "no session is live")
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(inventory.LiveTable(live, now), "\n"))
	return err
}
