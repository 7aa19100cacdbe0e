package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

func newCat(dir *string) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "cat [-f] NAME…",
		Short: "print recordings, decompressed",
		Long: `Prints the records of recordings, one per line; compressed recordings are
decompressed. -f follows a live recording to its end.`,
		Example: `  wiretea sessions cat 20261120-100000-everything-4711 | jq -c 'select(.k=="f")'
  wiretea sessions cat -f 20261120-100000-everything-4711 | grep tools/call
  wiretea sessions cat old.mcpcap.jsonl.zst > old.mcpcap.jsonl`,
		Args:              sessionArgs(),
		ValidArgsFunction: completeSessions(dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				path := recorder.Find(*dir, name)
				f, err := term.OpenRecording(path)
				if err != nil {
					return err
				}
				err = recorder.CopyAll(cmd.Context(), cmd.OutOrStdout(), f, follow)
				f.Close()
				switch {
				case term.ReaderGone(err):
					return err
				case err != nil:
					return term.RecordingFailure(path, err)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "follow a live recording")
	return cmd
}

func newRepair(dir *string) *cobra.Command {
	var target string
	cmd := &cobra.Command{
		Use:   "repair NAME…",
		Short: "make a complete recording from a damaged one, and keep the original",
		Long: `Writes a complete recording beside a damaged or truncated one:
STEM.repaired.mcpcap.jsonl. Intact records are copied unchanged; a damaged record is
replaced by a gap, and what was dropped is reported. The original is not changed. Exit
code: 0 also if the recording was intact, 2 if no record is left.`,
		Example: `  wiretea sessions repair 20261120-100000-everything-4711
  wiretea sessions repair --out whole.mcpcap.jsonl torn.mcpcap.jsonl.gz`,
		Args:              sessionArgs(),
		ValidArgsFunction: completeSessions(dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			if target != "" && len(args) > 1 {
				return term.Usage("--out names one file", "%s given", text.Plural(int64(len(args)), "recording"))
			}
			for _, name := range args {
				if err := repairSession(cmd, recorder.Find(*dir, name), target); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&target, "out", "o", "", "write `FILE` instead")
	return cmd
}

func repairSession(cmd *cobra.Command, path, target string) error {
	if target == "" {
		stem := strings.TrimSuffix(path, recorder.Packed(path))
		stem = strings.TrimSuffix(strings.TrimSuffix(stem, recorder.Suffix), ".jsonl")
		target = stem + ".repaired" + recorder.Suffix
	}
	done, err := recorder.RepairFile(cmd.Context(), path, target)
	switch {
	case errors.Is(err, recorder.ErrBusy):
		return &term.Failure{Code: term.ExitUsage, Hint: "end the session first", Err: err}
	case errors.Is(err, recorder.ErrExists):
		return &term.Failure{Code: term.ExitUsage, Hint: "remove it, or choose another: --out FILE", Err: err}
	case err != nil:
		return term.RecordingFailure(path, err)
	}
	errw := cmd.ErrOrStderr()
	if !done.Needed() {
		fmt.Fprintf(errw, "%s: nothing is wrong with it\n", term.Visible(path))
		return nil
	}
	fmt.Fprintf(errw, "%s:\n", term.Visible(path))
	for _, line := range repairs(&done) {
		fmt.Fprintf(errw, "  %s\n", line)
	}
	fmt.Fprintf(errw, "  the original is kept\n")
	fmt.Fprintln(cmd.OutOrStdout(), target)
	return nil
}

// repairs says what was done, a line a thing.
func repairs(done *recorder.Repairs) []string {
	lines := []string{text.Plural(done.Records, "record") + " kept as they are"}
	if done.Header {
		lines = append(lines, "its header was missing: a new one has no server command, and the time of the file")
	}
	if done.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("%s dropped, %s, the first because: %v", text.Plural(done.Dropped, "damaged line"), text.Size(done.Bytes), done.First))
	}
	if len(done.Gaps) > 0 {
		lines = append(lines, "replaced by gaps: "+strings.Join(done.Gaps, ", "))
	}
	if done.Torn > 0 {
		lines = append(lines, fmt.Sprintf("the last record was torn off after %s, and is dropped", text.Plural(done.Torn, "byte")))
	}
	if done.Unpacked != nil {
		lines = append(lines, fmt.Sprintf("unpacking stopped: %v", done.Unpacked))
	}
	if done.Ended {
		lines = append(lines, "it had no end record: one was written")
	}
	return lines
}

func newCompress(dir *string) *cobra.Command {
	var format string
	var older term.AgeFlag
	cmd := &cobra.Command{
		Use:   "compress NAME… | compress --older-than AGE",
		Short: "compress finished recordings",
		Long: `Compresses finished recordings with zstd, in frames of 1 MiB, or gzip. All commands
read compressed recordings; they keep their age. The original is removed when the
compressed file is complete. Live recordings are skipped, and refused by name.`,
		Example: `  wiretea sessions compress --older-than 1d
  wiretea sessions compress --format gz 20261120-100000-everything-4711`,
		ValidArgsFunction: completeSessions(dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			ending := map[string]string{"zst": recorder.Zstd, "gz": recorder.Gzip}[format]
			if ending == "" {
				return term.Usage("it is zst or gz", "unknown format %q", format)
			}
			aged := cmd.Flags().Changed("older-than")
			if aged == (len(args) > 0) {
				return term.Usage("name some, or say --older-than AGE", "either recordings or an age")
			}
			if aged {
				return compressOld(cmd, *dir, ending, time.Duration(older))
			}
			for _, name := range args {
				if err := compressSession(cmd, recorder.Find(*dir, name), ending); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "zst", "zst or gz")
	cmd.Flags().Var(&older, "older-than", "compress all recordings of the folder that are older than this")
	cmd.Flags().Lookup("older-than").DefValue = "" // It has none: without it, names are given.
	term.Complete(cmd, "format", "zst", "gz")
	return cmd
}

// compressOld packs what is old. It goes on after one that cannot be packed.
func compressOld(cmd *cobra.Command, dir, ending string, age time.Duration) error {
	list, err := recorder.List(dir)
	if err != nil {
		return err
	}
	var first error
	some := false
	for _, info := range list {
		if recorder.Packed(info.Path) != "" || info.Err != nil || info.Live != recorder.NotLive || time.Since(info.Modified) < age {
			continue
		}
		some = true
		if err := compressSession(cmd, info.Path, ending); err != nil && first == nil {
			first = err
		}
	}
	if !some {
		fmt.Fprintln(cmd.ErrOrStderr(), "nothing to compress")
	}
	return first
}

func compressSession(cmd *cobra.Command, path, ending string) error {
	before, err := recorder.Stat(path)
	switch {
	case err != nil:
		return term.RecordingFailure(path, err)
	case before.Err != nil:
		return term.RecordingFailure(path, before.Err)
	}
	target := path + ending
	if err := recorder.Pack(path, target, false); err != nil {
		hint := ""
		if errors.Is(err, recorder.ErrBusy) {
			hint = "end the session first"
		}
		return &term.Failure{Code: term.ExitUsage, Hint: hint, Err: err}
	}
	after, err := recorder.Stat(target)
	if err != nil {
		return term.RecordingFailure(target, err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s  %s → %s\n", filepath.Base(target), text.Size(before.Size), text.Size(after.Size))
	return nil
}
