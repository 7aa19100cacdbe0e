package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/ui/units"
)

func newSessions() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "list and remove recordings",
		Example: `  wiretea sessions ls
  wiretea sessions rm 20261120-100000-everything-4711
  wiretea sessions prune --older-than 30d --keep 100`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("wiretea sessions --help lists the commands", "there is no command %q", "sessions "+args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&dir, "sessions", "", "the `FOLDER` (default ~/.local/state/wiretea/sessions)")
	cmd.AddCommand(newSessionsList(&dir), newSessionsRemove(&dir), newSessionsPrune(&dir))
	return cmd
}

func newSessionsList(dir *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "list the recordings, the latest first",
		Example: `  wiretea sessions ls
  wiretea sessions ls --json --sessions ./recordings`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := sessionsFolder(*dir)
			if err != nil {
				return err
			}
			list, err := recorder.List(folder)
			if err != nil {
				return err
			}
			if asJSON {
				return writeSessionsJSON(cmd.OutOrStdout(), list)
			}
			return writeSessions(cmd.OutOrStdout(), folder, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func writeSessions(w io.Writer, folder string, list []recorder.Info) error {
	width, total := len("name"), int64(0)
	for _, info := range list {
		width = max(width, len(sessionName(info.Path)))
		total += info.Size
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "%-*s  %-16s %8s %9s %9s  %s\n", width, "name", "started", "length", "frames", "size", "findings")
	}
	for _, info := range list {
		fmt.Fprintf(w, "%-*s  %-16s %8s %9s %9s  %s\n", width, sessionName(info.Path), started(info),
			units.Duration(int64(info.Summary.Duration)), units.Count(info.Summary.Frames), units.Size(info.Size), verdict(info))
	}
	p := recorder.DefaultPolicy
	_, err := fmt.Fprintf(w, "%s, %s in %s (kept: %s, at most %s)\n", units.Plural(int64(len(list)), "session"), units.Size(total), folder,
		days(p.MaxAge), units.Size(p.MaxBytes))
	return err
}

// verdict is how a session stands: live, unreadable, cut off, or its findings.
func verdict(info recorder.Info) string {
	s := info.Summary
	var words []string
	switch {
	case info.Err != nil:
		return "unreadable: " + info.Err.Error()
	case info.Live == recorder.Live:
		words = append(words, "● live")
	case s.Ended == "":
		words = append(words, "ended abnormally")
	}
	for _, part := range []struct {
		n    int64
		sign string
	}{{s.Errors, "✖"}, {s.Warnings, "⚠"}, {s.Infos, "ℹ"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", part.sign, part.n))
		}
	}
	if len(words) == 0 && info.Indexed {
		return "✔"
	}
	return strings.Join(words, "  ")
}

func started(info recorder.Info) string {
	if info.Summary.Start.IsZero() {
		return ""
	}
	return info.Summary.Start.Local().Format("2006-01-02 15:04")
}

// sessionJSON is one recording for programs.
type sessionJSON struct {
	Path    string           `json:"path"`
	Size    int64            `json:"size"`
	State   string           `json:"state"`
	Error   string           `json:"error,omitempty"`
	Summary recorder.Summary `json:"summary"`
}

func writeSessionsJSON(w io.Writer, list []recorder.Info) error {
	out := []sessionJSON{}
	for _, info := range list {
		s := sessionJSON{Path: info.Path, Size: info.Size, State: info.Live.String(), Summary: info.Summary}
		if info.Err != nil {
			s.Error = info.Err.Error()
		}
		out = append(out, s)
	}
	return json.NewEncoder(w).Encode(out)
}

// sessionName is a recording's name as people type it.
func sessionName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), recorder.Suffix)
}

func newSessionsRemove(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME…",
		Short: "remove recordings with their indexes; live ones are refused",
		Example: `  wiretea sessions rm 20261120-100000-everything-4711
  wiretea sessions rm ./old.mcpcap.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("wiretea sessions ls names them", "no recording given")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return sessionNames(*dir), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := sessionsFolder(*dir)
			if err != nil {
				return err
			}
			for _, name := range args {
				path := sessionPath(folder, name)
				if err := removeSession(path); err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "removed %s\n", path)
			}
			return nil
		},
	}
}

// removeSession removes a recording, and nothing that is none.
func removeSession(path string) error {
	info, err := recorder.Stat(path)
	if err != nil {
		return recordingFailure(path, err)
	}
	if errors.Is(info.Err, recorder.ErrNotSession) && !strings.HasSuffix(path, recorder.Suffix) {
		return recordingFailure(path, info.Err)
	}
	err = recorder.Remove(path)
	switch {
	case errors.Is(err, recorder.ErrBusy):
		return &failure{code: exitUsage, hint: "end the session first", err: err}
	case err != nil:
		return &failure{code: exitUsage, err: err}
	}
	return nil
}

// sessionPath takes a path as it is, and a name as that of a recording in the
// folder.
func sessionPath(folder, name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	if !strings.Contains(name, recorder.Suffix) {
		name += recorder.Suffix
	}
	return filepath.Join(folder, name)
}

func sessionNames(dir string) []string {
	folder, err := sessionsFolder(dir)
	if err != nil {
		return nil
	}
	list, err := recorder.List(folder)
	if err != nil {
		return nil
	}
	var all []string
	for _, info := range list {
		all = append(all, sessionName(info.Path))
	}
	return all
}

func newSessionsPrune(dir *string) *cobra.Command {
	policy := recorder.DefaultPolicy
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "remove old recordings; live ones are never touched",
		Example: `  wiretea sessions prune
  wiretea sessions prune --older-than 7d --max-size 500MiB --keep 5`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := sessionsFolder(*dir)
			if err != nil {
				return err
			}
			removed, err := recorder.Prune(folder, policy, time.Now())
			var total int64
			for _, info := range removed {
				total += info.Size
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s\n", sessionName(info.Path))
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s, %s removed\n", units.Plural(int64(len(removed)), "session"), units.Size(total))
			return err
		},
	}
	f := cmd.Flags()
	f.Var((*ageFlag)(&policy.MaxAge), "older-than", "remove what is older; 0 = no limit")
	f.Var((*sizeFlag)(&policy.MaxBytes), "max-size", "remove the oldest until all together are smaller; 0 = no limit")
	f.IntVar(&policy.Keep, "keep", policy.Keep, "keep this many of the latest in any case")
	return cmd
}

// ageFlag is a flag that holds a time span, also in days: 30d, 12h.
type ageFlag time.Duration

func (f *ageFlag) String() string { return days(time.Duration(*f)) }
func (f *ageFlag) Type() string   { return "AGE" }
func (f *ageFlag) Set(text string) error {
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.ParseFloat(n, 64)
		if err != nil || count < 0 || count > 1e5 {
			return fmt.Errorf("%q is not an age, try 30d or 12h", text)
		}
		*f = ageFlag(count * 24 * float64(time.Hour))
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not an age, try 30d or 12h", text)
	}
	*f = ageFlag(d)
	return nil
}

func days(d time.Duration) string {
	if d > 0 && d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return d.String()
}
