package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/recorder/checkup"
	"wiretea/recorder/redact"
	"wiretea/recorder/verdict"
	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// live starts a server, checks it and judges the session.
func (o *checkOptions) live(cmd *cobra.Command, rules *verdict.Policy) error {
	if err := errors.Join(o.Server.Check(), o.Record.Check()); err != nil {
		return err
	}
	both := o.Client.Era == "both"
	if both {
		o.Client.Era = "legacy"
	}
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	calls, err := parseCalls(o.calls)
	if err != nil {
		return err
	}
	errw := cmd.ErrOrStderr()
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	limit := checkup.NewClock(o.maxTime, func() { cancel(capture.ErrTimeUp) })
	defer limit.Hold(true)
	cfg.Warn, cfg.Slow, cfg.Held = errw, display.Slow(errw), limit.Hold
	if o.patient {
		cfg.Patience = flags.Patience
	}
	run, err := capture.New(cfg)
	if err != nil {
		return o.Record.Failure(err)
	}
	done := checkup.Run(ctx, checkup.Config{
		Run: run, Client: cfg.Client, Both: both, Calls: calls, Probe: o.probe, MaxTime: o.maxTime, Timeout: o.Server.Limits.For, Warn: errw,
	})
	return o.report(cmd, rules, run, done)
}

// exitCodes are those of the outcomes of a checkup.
var exitCodes = [...]int{
	checkup.Completed: term.ExitFine, checkup.ServerFailed: term.ExitServer, checkup.TimedOut: term.ExitTimeout, checkup.Interrupted: term.ExitInterrupted,
}

// report judges the session, once it is over, and writes the report.
func (o *checkOptions) report(cmd *cobra.Command, rules *verdict.Policy, run *capture.Run, done *checkup.Checkup) error {
	errw, s, code := cmd.ErrOrStderr(), run.Snapshot(), exitCodes[done.Outcome()]
	drift, err := o.hold.lockTools(s, run.Log(), done.Probed, errw)
	var written error
	if err == nil {
		hidden := redact.Texts(cmd.Context(), run.Log())
		v := rules.Judge(verdict.Session{Snapshot: s, Log: run.Log(), Own: append(done.Own(), drift...), Probed: done.Probed, Covered: done.Covered, Text: hidden})
		if v.Failed() {
			code = max(code, term.ExitFound)
		}
		r := report.New(hidden(flags.Place(o.Server.Argv)), v)
		r.Command = o.Server.Argv
		r.AddSteps(done.Steps())
		written = o.write(cmd.OutOrStdout(), r)
		if o.format != "text" && o.format != "github" && code != term.ExitFine && v.Sentence != "" {
			fmt.Fprintf(errw, "wiretea: %s\n", term.Visible(v.Sentence))
			if v.Fix != "" {
				fmt.Fprintf(errw, "  hint: %s\n", term.Visible(v.Fix))
			}
		}
	}
	if fault := o.Record.Release(run, errw, false); fault != nil {
		fmt.Fprintf(errw, "wiretea: %v\n", fault)
	}
	if err := errors.Join(err, written); err != nil {
		return err
	}
	return term.Silently(code)
}
