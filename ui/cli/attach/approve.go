package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/recorder/replay"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// approveOptions are the flags of approve.
type approveOptions struct {
	dir    string
	list   bool
	json   bool
	allow  []string // allow and deny are the numbers of messages.
	deny   []string
	reason string

	respond string // respond is the number of a message that is answered in the server's place:
	result  string // with this result, or
	from    string // as in this recording.
}

// NewApprove returns the command approve.
func NewApprove() *cobra.Command {
	var o approveOptions
	cmd := &cobra.Command{
		Use:   "approve [flags] [SESSION|PID]",
		Short: "allow or deny the messages that a policy asks about",
		Long: `Shows the messages of a live session that wait for a person, because a rule of its
policy has the action ask or hold, and asks about each: y lets it go on, n denies it,
with a reason that its sender is told. New ones are shown as they come, until the
session ends. Name the session by its recording, the server's name, or the process id
of server, client or tee.

--respond answers a request in the server's place, with a --result in which {{PATH}}
is replaced by what the request has there, or with what the recorded server has
answered to such a request --from a recording.

Without a terminal the messages are only printed; --allow and --deny decide on them by
their numbers. What nobody decides on is decided by on_timeout. The recording says who
decided.`,
		Example: `  wiretea approve
  wiretea approve files
  wiretea approve --list --json files
  wiretea approve --allow 3 files
  wiretea approve --deny all --reason 'not today' files
  wiretea approve --respond 3 --result '{"content":[{"type":"text","text":"hi {{params.name}}"}]}'
  wiretea approve --respond 3 --from yesterday.mcpcap.jsonl`,
		Args:              term.Args(0, 1, "wiretea attach --list names them", ""),
		ValidArgsFunction: liveNames(&o.dir),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, strings.Join(args, "")) },
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "sessions", "", "look in this `FOLDER` (default ~/.local/state/wiretea/sessions)")
	f.BoolVar(&o.list, "list", false, "list what waits, and end")
	f.BoolVar(&o.json, "json", false, "print what waits as JSON, a message a line")
	f.StringSliceVar(&o.allow, "allow", nil, "let the message with this `NUMBER` go on, or all; repeatable")
	f.StringSliceVar(&o.deny, "deny", nil, "deny the message with this `NUMBER`, or all; repeatable")
	f.StringVar(&o.reason, "reason", "", "with --allow and --deny: why (`TEXT`), for the recording and for the sender of a denied message")
	f.StringVar(&o.respond, "respond", "", "answer the request with this `NUMBER` in the server's place")
	f.StringVar(&o.result, "result", "", "with --respond: answer with this `JSON`, a result or a whole response")
	f.StringVar(&o.from, "from", "", "with --respond: answer with what this `RECORDING` has")
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

func (o *approveOptions) run(cmd *cobra.Command, what string) error {
	decides := len(o.allow)+len(o.deny) > 0 || o.respond != ""
	switch {
	case (o.respond != "") != (o.result != "" || o.from != "") || o.result != "" && o.from != "":
		return term.Usage("wiretea approve --respond 3 --result '{}'", "--respond goes with one of --result and --from")
	case decides && o.list:
		return term.Usage("", "--list goes without --allow, --deny and --respond")
	case o.reason != "" && !decides:
		return term.Usage("", "--reason goes with --allow, --deny and --respond")
	}
	live, err := capture.LiveSessions(o.dir)
	if err != nil {
		return err
	}
	path, err := Choose(live, what, o.dir)
	if err != nil {
		return err
	}
	file, err := term.OpenRecording(path)
	if err != nil {
		return err
	}
	defer file.Close()
	place, err := capture.Intercept(cmd.Context(), file.Header(), "approve")
	if err != nil {
		return &term.Failure{Code: term.ExitUsage, Err: fmt.Errorf("%s: %w", recorder.SessionName(path), err)}
	}
	defer place.Close()
	switch {
	case o.respond != "":
		return o.answer(cmd, place)
	case decides:
		return o.decide(cmd.Context(), place)
	case o.list:
		return o.write(cmd.OutOrStdout(), place.State().Held)
	}
	a := &approver{place: place, out: cmd.OutOrStdout(), errw: cmd.ErrOrStderr(), json: o.json}
	if in := cmd.InOrStdin(); !o.json && term.IsTerminal(in) && term.IsTerminal(a.errw) {
		a.in = in
	}
	return a.follow(cmd.Context())
}

// decide decides on the messages that the flags name.
func (o *approveOptions) decide(ctx context.Context, place session.Intercept) error {
	for _, choice := range []struct {
		verb  session.ChoiceVerb
		words []string
	}{{session.Release, o.allow}, {session.Deny, o.deny}} {
		ids, all, err := numbers(choice.words)
		if err != nil {
			return err
		}
		if all {
			for _, h := range place.State().Held {
				if h.Rule != "" {
					ids = append(ids, h.ID)
				}
			}
		}
		if len(ids) == 0 {
			continue
		}
		if err := place.Decide(ctx, ids, session.Choice{Verb: choice.verb, Reason: o.reason}); err != nil {
			return undecided(strings.Join(choice.words, ", "), err)
		}
	}
	return nil
}

// undecided words why messages were not decided on.
func undecided(what string, err error) error {
	if errors.Is(err, session.ErrNotHeld) {
		return &term.Failure{Code: term.ExitFound, Err: fmt.Errorf("%s: %w", what, err), Hint: "wiretea approve --list shows what waits"}
	}
	return err
}

// answer answers a request in the server's place.
func (o *approveOptions) answer(cmd *cobra.Command, place session.Intercept) error {
	ids, all, err := numbers([]string{o.respond})
	if err != nil || all {
		return cmp.Or(err, term.Usage("", "--respond names one message"))
	}
	text := []byte(o.result)
	if o.from != "" {
		if text, err = o.recorded(cmd, place, ids[0]); err != nil {
			return err
		}
	}
	if err := place.Decide(cmd.Context(), ids, session.Choice{Verb: session.Respond, Text: text, Literal: o.from != "", Reason: o.reason}); err != nil {
		return undecided(o.respond, err)
	}
	return nil
}

// recorded is what the recording has in answer to a message.
func (o *approveOptions) recorded(cmd *cobra.Command, place session.Intercept, id uint64) ([]byte, error) {
	request, err := place.Text(cmd.Context(), id)
	if err != nil {
		return nil, undecided(o.respond, err)
	}
	f, err := term.OpenRecording(o.from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	answers, err := replay.ReadAnswers(f)
	if err != nil {
		return nil, term.RecordingFailure(o.from, fmt.Errorf("%s: %w", o.from, err))
	}
	text, exact, err := answers.To(request)
	if err != nil {
		return nil, &term.Failure{Code: term.ExitFound, Err: fmt.Errorf("%s: %w", o.from, err)}
	}
	if !exact {
		fmt.Fprintln(cmd.ErrOrStderr(), "wiretea: not recorded with these parameters: answered as the most similar request was")
	}
	return text, nil
}

// numbers reads the numbers of messages; all: one of the words is all.
func numbers(words []string) (ids []uint64, all bool, err error) {
	for _, word := range words {
		if word == "all" {
			all = true
			continue
		}
		id, err := strconv.ParseUint(strings.TrimPrefix(word, "#"), 10, 64)
		if err != nil || id == 0 {
			return nil, false, term.Usage("wiretea approve --list shows the numbers", "%q is not the number of a message, nor all", word)
		}
		ids = append(ids, id)
	}
	return ids, all, nil
}

// write lists what is held.
func (o *approveOptions) write(w io.Writer, held []session.Held) error {
	if o.json {
		return writeHeld(w, held)
	}
	if len(held) == 0 {
		_, err := fmt.Fprintln(w, "nothing waits")
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(inventory.HeldTable(held), "\n"))
	return err
}
