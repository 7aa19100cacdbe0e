package export

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/redact"
	"wiretea/session"
)

// Cleaned writes a recording, whose log and snapshot are the original's, without its secrets. The
// recording is not changed. The Redactor is nil only where the log could not be read.
func Cleaned(ctx context.Context, w io.Writer, rec Recording, write func(context.Context, io.Writer, *Recording) error, opt redact.Options) (*redact.Redactor, error) {
	r, err := redact.Learn(ctx, rec.Log, opt)
	if err != nil {
		return nil, err
	}
	rec.Notes = slices.Clone(rec.Notes)
	for i := range rec.Notes {
		rec.Notes[i].Text = r.Text(rec.Notes[i].Text)
	}
	return r, cleaned(ctx, rec.Log, r, func(log recorder.Log, copied bool) error {
		if copied {
			again, _, err := analysis.Read(ctx, log, session.Limits{})
			if err != nil {
				return err
			}
			rec.Findings = sameFindings(again.Findings(), rec.Snap.Findings())
			rec.Log, rec.Snap = log, again
		}
		return write(ctx, w, &rec)
	})
}

// Clean calls use with a log that holds no secrets: the log itself where it has
// none, else a copy that is good until use returns.
func Clean(ctx context.Context, log recorder.Log, opt redact.Options, use func(log recorder.Log, copied bool) error) (*redact.Redactor, error) {
	r, err := redact.Learn(ctx, log, opt)
	if err != nil {
		return nil, err
	}
	return r, cleaned(ctx, log, r, use)
}

// cleaned is Clean for a log whose secrets are known.
func cleaned(ctx context.Context, log recorder.Log, r *redact.Redactor, use func(log recorder.Log, copied bool) error) error {
	if r.Clean() {
		return use(log, false)
	}
	temp, err := os.CreateTemp("", "wiretea-*"+recorder.Suffix) // for its owner alone
	if err != nil {
		return fmt.Errorf("making the copy without secrets: %w", err)
	}
	defer os.Remove(temp.Name())
	err = r.Write(ctx, temp)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("making the copy without secrets: %w", err)
	}
	f, err := recorder.Open(temp.Name())
	if err != nil {
		return fmt.Errorf("reading the copy without secrets: %w", err)
	}
	defer f.Close()
	return use(f, true)
}

// sameFindings are those findings that the original has too.
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
