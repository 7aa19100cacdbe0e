package check

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// SettingsFile holds what a project wants of check, in the folder it is run in.
const SettingsFile = "wiretea.toml"

// checkSettings is the table [check] of the file. Nothing in it starts a program,
// and none of its files lies outside the folder: it may come from a stranger's
// repository.
type checkSettings struct {
	Era             string            `toml:"era"`
	ProtocolVersion string            `toml:"protocol-version"`
	Calls           []string          `toml:"call"`
	Probe           bool              `toml:"probe"`
	MaxTime         string            `toml:"max-time"`
	MaxLine         string            `toml:"max-line"`
	FailOn          string            `toml:"fail-on"`
	Severity        map[string]string `toml:"severity"`
	Ignore          []string          `toml:"ignore"`
	MaxLatency      map[string]string `toml:"max-latency"`
	Baseline        string            `toml:"baseline"`
	ToolsLock       string            `toml:"tools-lock"`
}

var checkSettingNames = []string{"era", "protocol-version", "call", "probe", "max-time", "max-line", "fail-on", "severity", "ignore", "max-latency", "baseline", "tools-lock"}

// settings reads the file of the folder and takes from it what the flags do not
// say. A file that does not exist says nothing.
func (o *checkOptions) settings(cmd *cobra.Command) error {
	var file struct {
		Check checkSettings `toml:"check"`
	}
	meta, err := toml.DecodeFile(SettingsFile, &file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return term.Usage("correct it, or run check in another folder", "%s: %w", SettingsFile, err)
	}
	for _, key := range meta.Undecoded() {
		if len(key) > 1 && key[0] == "check" {
			return term.Usage(format.Nearest(key[1], checkSettingNames, "wiretea check --help lists the possible settings"), "%s: unknown setting %q", SettingsFile, key)
		}
	}
	return o.take(cmd, &file.Check)
}

func (o *checkOptions) take(cmd *cobra.Command, set *checkSettings) error {
	words := map[string][]string{"call": set.Calls, "ignore": set.Ignore}
	for name, value := range map[string]string{
		"era": set.Era, "protocol-version": set.ProtocolVersion, "max-time": set.MaxTime, "max-line": set.MaxLine, "fail-on": set.FailOn,
		"baseline": set.Baseline, "tools-lock": set.ToolsLock,
	} {
		if value != "" {
			words[name] = []string{value}
		}
	}
	for _, file := range []string{set.Baseline, set.ToolsLock} {
		if file != "" && !filepath.IsLocal(file) {
			return term.Usage("name a file in this folder, or use the flag", "%s: %s is outside the folder", SettingsFile, file)
		}
	}
	if set.Probe {
		words["probe"] = []string{"true"}
	}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		if err := o.unlessFlag(cmd, name, words[name]); err != nil {
			return err
		}
	}
	// These add to the flags, and the flags count where both name the same.
	for _, rule := range slices.Sorted(maps.Keys(set.Severity)) {
		o.hold.severities = slices.Insert(o.hold.severities, 0, rule+"="+set.Severity[rule])
	}
	for _, method := range slices.Sorted(maps.Keys(set.MaxLatency)) {
		o.hold.latencies = append(o.hold.latencies, method+"="+set.MaxLatency[method])
	}
	return nil
}

// unlessFlag sets a flag that was not given.
func (o *checkOptions) unlessFlag(cmd *cobra.Command, name string, values []string) error {
	f := cmd.Flags().Lookup(name)
	if f == nil || f.Changed && name != "ignore" {
		return nil
	}
	for _, value := range values {
		if err := f.Value.Set(value); err != nil {
			return term.Usage("correct it in "+SettingsFile, "%s: %s = %q: %w", SettingsFile, name, value, err)
		}
	}
	return nil
}
