package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/units"
)

// A shared is a recording as it is shown to others.
type shared struct {
	log      recorder.Log
	snap     *session.Snapshot
	findings []session.Finding // findings are those to tell.
	shows    *waiting
}

// share analyses a recording, without its secrets unless they are asked for, and
// hands it to use.
func (o *exportOptions) share(cmd *cobra.Command, path string, use func(*shared) error) error {
	f, err := openRecording(path)
	if err != nil {
		return err
	}
	defer f.Close()
	shows := newWaiting(cmd.ErrOrStderr())
	defer shows.stop()
	shows.begin("reading")
	snap, err := analysed(cmd.Context(), f)
	if err != nil {
		return recordingFailure(path, err)
	}
	if snap.Header() == nil {
		return recordingFailure(path, errNothing(path))
	}
	if o.withSecrets {
		return use(&shared{f, snap, snap.Findings(), shows})
	}
	return o.clean(cmd, f, shows, func(log recorder.Log, copied bool) error {
		if !copied {
			return use(&shared{f, snap, snap.Findings(), shows})
		}
		// Findings quote what was sent: those of the copy quote placeholders.
		again, err := analysed(cmd.Context(), log)
		if err != nil {
			return recordingFailure(path, err)
		}
		return use(&shared{log, again, sameFindings(again.Findings(), snap.Findings()), shows})
	})
}

// withoutSecrets hands over the log of a recording that holds no secrets.
func (o *exportOptions) withoutSecrets(cmd *cobra.Command, path string, use func(recorder.Log, *waiting) error) error {
	f, err := openRecording(path)
	if err != nil {
		return err
	}
	defer f.Close()
	shows := newWaiting(cmd.ErrOrStderr())
	defer shows.stop()
	return o.clean(cmd, f, shows, func(log recorder.Log, _ bool) error { return use(log, shows) })
}

// clean hands over a log without secrets, a copy where there were some, and then
// says what was replaced.
func (o *exportOptions) clean(cmd *cobra.Command, f *recorder.File, shows *waiting, use func(log recorder.Log, copied bool) error) error {
	opt, err := o.options()
	if err != nil {
		return err
	}
	r, err := learnSecrets(cmd.Context(), f, opt, shows)
	if err != nil {
		return err
	}
	if r.Clean() {
		return use(f, false)
	}
	log, closed, err := withoutSecrets(cmd.Context(), r)
	if err != nil {
		return err
	}
	defer closed()
	err = use(log, true)
	shows.stop()
	if !r.Clean() && !readerGone(err) {
		saySecrets(cmd.ErrOrStderr(), r)
	}
	if err == nil && r.Damage.Lines > 0 && o.whole {
		return fmt.Errorf("%w: %s damaged, the first at byte %d: %w", export.ErrIncomplete, units.Plural(r.Damage.Lines, "line"), r.Damage.Off, r.Damage.Err)
	}
	return err
}

// analysed reads a log to its present end, one that is spooled to its very end.
func analysed(ctx context.Context, log recorder.Log) (*session.Snapshot, error) {
	f, isFile := log.(*recorder.File)
	if isFile {
		if s, ok := loadIndex(f); ok {
			return s, nil
		}
	}
	analyzer := session.NewAnalyzer(session.Config{Checkers: check.New()})
	follower := recorder.Follower{Log: log, Analyzer: analyzer, Once: !isFile || f.Header() != nil}
	if err := follower.Run(ctx); err != nil {
		return nil, err
	}
	return analyzer.Snapshot(), nil
}

// sameFindings are those findings that the original has too: a placeholder can break
// a rule that the secret did not.
func sameFindings(found, original []session.Finding) []session.Finding {
	type place struct {
		rule string
		conn int
		n    uint64
	}
	known := make(map[place]bool, len(original))
	for _, f := range original {
		known[place{f.Rule, f.Conn, f.N}] = true
	}
	same := []session.Finding{}
	for _, f := range found {
		if known[place{f.Rule, f.Conn, f.N}] {
			same = append(same, f)
		}
	}
	return same
}
