package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/text"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

func NewSessions() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "list, inspect, repair, compress and remove recordings",
		Long: `Manages the recordings in the sessions folder; without a command, lists them. A
recording is given by its name in the list, or by its path.`,
		Example: `  wiretea sessions
  wiretea sessions show 20261120-100000-everything-4711
  wiretea sessions cat -f 20261120-100000-everything-4711 | jq -r .m
  wiretea sessions prune --older-than 30d --keep 100`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return listSessions(cmd, dir, false) },
	}
	cmd.PersistentFlags().StringVar(&dir, "sessions", "", "the `FOLDER` (default ~/.local/state/wiretea/sessions)")
	cmd.AddCommand(newList(&dir), newShow(&dir), newCat(&dir), newRepair(&dir), newCompress(&dir),
		newRemove(&dir), newPrune(&dir))
	return cmd
}

func newList(dir *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "list the recordings, the latest first",
		Example: `  wiretea sessions ls
  wiretea sessions ls --json --sessions ./recordings`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return listSessions(cmd, *dir, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func listSessions(cmd *cobra.Command, dir string, asJSON bool) error {
	folder, err := recorder.SessionsFolder(dir)
	if err != nil {
		return err
	}
	list, err := recorder.List(dir)
	if err != nil {
		return err
	}
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	shows.Begin("judging")
	for i := range list {
		shows.Progress(float64(i), float64(len(list)), "")
		// One that cannot be judged is listed as such.
		if _ = analysis.Judge(cmd.Context(), &list[i]); cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		if s := &list[i].Summary; s.Client == "" && list[i].Err == nil {
			s.Client = term.Visible(capture.Inspect(list[i]).Client)
		}
	}
	shows.Stop()
	if recorder.Shared(folder) {
		fmt.Fprintln(cmd.ErrOrStderr(), flags.SharedWord(folder))
	}
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(inventory.ListRecordings(list))
	}
	if err := writeSessions(cmd.OutOrStdout(), folder, list); err != nil || dir != "" {
		return err
	}
	if note := inventory.Unrecorded(""); note != "" {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), "✖ "+note)
	}
	return err
}

func writeSessions(w io.Writer, folder string, list []recorder.Info) error {
	var total int64
	folders := []string{term.Visible(filepath.Clean(folder))}
	for _, info := range list {
		total += info.Size
		// Some may be where sessions are recorded if the folder cannot be written.
		if dir := term.Visible(filepath.Dir(info.Path)); !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	if _, err := io.WriteString(w, inventory.RecordingTable(list).String()); err != nil {
		return err
	}
	p := term.SessionsPolicy()
	_, err := fmt.Fprintf(w, "%s, %s in %s (kept: %s, at most %s, the latest %d in any case)\n", text.Plural(int64(len(list)), "session"), text.Size(total), strings.Join(folders, " and "),
		text.Age(p.MaxAge), text.Size(p.MaxBytes), p.Keep)
	return err
}

// removable looks at what is to be removed, and refuses what is not a recording, or is
// live.
func removable(path string) (recorder.Info, error) {
	info, err := recorder.Stat(path)
	switch {
	case err != nil:
		return info, term.RecordingFailure(path, err)
	case !info.Removable():
		return info, term.RecordingFailure(path, info.Err)
	case info.Live == recorder.Live:
		return info, &term.Failure{Code: term.ExitUsage, Hint: "end the session first", Err: fmt.Errorf("removing %s: %w", path, recorder.ErrBusy)}
	}
	return info, nil
}

// Remove removes a recording, and nothing that is none.
func RemoveSession(path string) error {
	if _, err := removable(path); err != nil {
		return err
	}
	err := recorder.Remove(path)
	switch {
	case errors.Is(err, recorder.ErrBusy):
		return &term.Failure{Code: term.ExitUsage, Hint: "end the session first", Err: err}
	case err != nil:
		return &term.Failure{Code: term.ExitUsage, Err: err}
	}
	return nil
}
