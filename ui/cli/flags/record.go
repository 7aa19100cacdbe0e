package flags

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// Record says where a session is recorded, and how large the sessions folder may
// become.
type Record struct {
	capture.Record

	maxAge  term.AgeFlag
	maxDisk term.SizeFlag
	given   *pflag.FlagSet // given knows which flags were given; nil means that none was.
}

// Add adds all flags to a command.
func (o *Record) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var((*FileFlag)(&o.File), "record", "record the session to `FILE`; a name ending in .gz or .zst is compressed when the session ends")
	f.BoolVar(&o.Force, "force", false, "overwrite the file of --record")
	f.BoolVar(&o.None, "no-record", false, "keep no file of the session")
	o.AddFolder(cmd)
}

// AddFolder adds the flags about the sessions folder.
func (o *Record) AddFolder(cmd *cobra.Command) {
	f := cmd.Flags()
	o.given = f
	f.StringVar(&o.Dir, "sessions", "", "record into this `FOLDER` (default ~/.local/state/wiretea/sessions)")
	o.maxAge, o.maxDisk = term.AgeFlag(recorder.DefaultPolicy.MaxAge), term.SizeFlag(recorder.DefaultPolicy.MaxBytes)
	f.Var(&o.maxAge, "max-age", "remove older sessions from the folder when this one ends; 0 = no limit")
	f.Var(&o.maxDisk, "max-disk", "remove the oldest sessions while the folder is larger; 0 = no limit")
}

// Check refuses flags that exclude each other.
func (o *Record) Check() error {
	if o.None && o.File != "" {
		return term.Usage("choose one of them", "--record and --no-record given")
	}
	return nil
}

// Failure adds a hint to an error of capture.New.
func (o *Record) Failure(err error) error {
	if errors.Is(err, recorder.ErrBusy) || errors.Is(err, recorder.ErrSource) {
		return &term.Failure{Code: term.ExitUsage, Hint: "--record FILE chooses another file, --no-record keeps none", Err: err}
	}
	if errors.Is(err, recorder.ErrNoFolder) {
		return term.Usage(term.FolderHint, "%w", err)
	}
	if file := (*capture.FileError)(nil); errors.As(err, &file) {
		return &term.Failure{Code: term.ExitUsage, Hint: "--record FILE chooses another file, --force overwrites, --no-record keeps none", Err: file.Err}
	}
	return err
}

// Release says where a closed session was recorded, unless quiet is set, and what its
// file lacks. It gives back what the session held, and prunes its folder.
func (o *Record) Release(r *capture.Run, errw io.Writer, quiet bool) error {
	if path := r.FinalPath(); path != "" && !quiet {
		fmt.Fprintf(errw, "recorded: %s\n", path)
	}
	ReportLoss(r, errw)
	err := r.Release()
	o.Prune(errw)
	return err
}

// ReportLoss says what a session file lacks, if anything.
func ReportLoss(r *capture.Run, errw io.Writer) {
	if lost := r.Lost(); lost > 0 {
		fmt.Fprintf(errw, "wiretea: the session file lacks %s: its disk could not be written\n", text.Size(lost))
	}
}

// Prune removes sessions beyond the limits of the folder, unless the session was
// recorded elsewhere, and says to errw what it has removed.
func (o *Record) Prune(errw io.Writer) {
	if o.None || o.File != "" {
		return
	}
	dir, err := recorder.SessionsFolder(o.Dir)
	if err != nil {
		return
	}
	if recorder.Shared(dir) {
		fmt.Fprintln(errw, SharedWord(dir))
	}
	policy := o.policy()
	removed, err := recorder.Prune(dir, policy, time.Now())
	if len(removed) > 0 {
		fmt.Fprintf(errw, "removed: %s beyond %s or %s\n", text.Plural(int64(len(removed)), "old session"), text.Age(policy.MaxAge), text.Size(policy.MaxBytes))
	}
	if err != nil {
		fmt.Fprintf(errw, "wiretea: %v\n", err)
	}
}

// SharedWord warns of a sessions folder into which other users may write.
func SharedWord(dir string) string {
	return fmt.Sprintf("wiretea: other users may write into %s: what lies there under the name of a recording may be theirs", term.Visible(dir))
}

// policy is what the flags say, else config.toml.
func (o *Record) policy() recorder.Policy {
	p := term.SessionsPolicy()
	if o.given != nil && o.given.Changed("max-age") {
		p.MaxAge = time.Duration(o.maxAge)
	}
	if o.given != nil && o.given.Changed("max-disk") {
		p.MaxBytes = int64(o.maxDisk)
	}
	return p
}

// A FileFlag is a flag that names a file: an empty name, as of a variable of the shell that
// is not set, is refused.
type FileFlag string

func (f *FileFlag) String() string { return string(*f) }
func (f *FileFlag) Type() string   { return "string" }
func (f *FileFlag) Set(name string) error {
	if name == "" {
		return errors.New("it names no file")
	}
	*f = FileFlag(name)
	return nil
}
