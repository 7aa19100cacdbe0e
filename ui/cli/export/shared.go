package export

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/export"
	"wiretea/recorder/notes"
	"wiretea/recorder/redact"
	"wiretea/recorder/share"
	"wiretea/session"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// openForExport opens a recording, all of it where it is spooled.
func openForExport(cmd *cobra.Command, path string) (*recorder.File, error) {
	f, err := term.OpenRecording(path)
	if err != nil {
		return nil, err
	}
	if err := term.Spooled(cmd.Context(), f); err != nil {
		_ = f.Close()
		return nil, term.RecordingFailure(path, err)
	}
	return f, nil
}

// writeForm analyses a recording and writes it in a form, without its secrets unless
// they are asked for.
func (o *exportOptions) writeForm(cmd *cobra.Command, w io.Writer, path string, form export.Format, filter *session.Filter) error {
	f, err := openForExport(cmd, path)
	if err != nil {
		return err
	}
	defer f.Close()
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	shows.Begin("reading")
	snap, known := analysis.Load(f)
	if !known {
		if snap, _, err = analysis.Read(cmd.Context(), f, session.Limits{}); err != nil {
			return term.RecordingFailure(path, err)
		}
	}
	if snap.Header() == nil {
		return term.RecordingFailure(path, term.ErrNothing(path))
	}
	rec := export.Recording{
		Log: f, Snap: snap, Filter: filter, WithSecrets: o.withSecrets, Tool: recorder.ToolName, Name: recorder.SessionName(filepath.Base(path)),
		Moved: func(done, total int) {
			shows.Begin("writing")
			shows.Progress(float64(done), float64(total), "")
		},
	}
	if o.notes {
		if rec.Notes, err = notes.Read(path); err != nil {
			return err
		}
	}
	if o.withSecrets {
		return form.Write(cmd.Context(), w, &rec)
	}
	opt, err := o.showing(shows)
	if err != nil {
		return err
	}
	r, err := share.Write(cmd.Context(), w, rec, form, opt)
	o.sayCleaned(cmd, r, shows, err)
	return err
}

// writeBytes writes one stream, without its secrets unless they are asked for.
func (o *exportOptions) writeBytes(cmd *cobra.Command, w io.Writer, path string, stream session.Stream, end export.End) error {
	f, err := openForExport(cmd, path)
	if err != nil {
		return err
	}
	defer f.Close()
	if o.withSecrets {
		return export.BytesAt(w, f, stream, o.conn, end)
	}
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	opt, err := o.showing(shows)
	if err != nil {
		return err
	}
	r, err := share.Clean(cmd.Context(), f, opt, func(log recorder.Log, _ bool) error { return export.BytesAt(w, log, stream, o.conn, end) })
	if r == nil {
		return term.RecordingFailure(path, err)
	}
	o.sayCleaned(cmd, r, shows, err)
	if d := r.Damage; err == nil && d.Lines > 0 {
		return fmt.Errorf("%w: %s damaged, the first at byte %d: %w", export.ErrIncomplete, format.Plural(d.Lines, "line"), d.Off, d.Err)
	}
	return err
}

// showing are the options, with what shows how far it is.
func (o *exportOptions) showing(shows *term.Waiting) (redact.Options, error) {
	opt, err := o.options()
	shows.Begin("looking for secrets")
	opt.Moved = func(done, total int64) { shows.Progress(float64(done), float64(total), "") }
	return opt, err
}

// sayCleaned says what was replaced, where something was.
func (o *exportOptions) sayCleaned(cmd *cobra.Command, r *redact.Redactor, shows *term.Waiting, err error) {
	shows.Stop()
	if r != nil && !r.Clean() && !term.ReaderGone(err) {
		saySecrets(cmd.ErrOrStderr(), r)
	}
}
