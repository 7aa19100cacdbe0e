package recorder

import "runtime/debug"

// Version is the release this source belongs to.
const Version = "0.1.0"

// ToolName is what session files and reports call their writer.
const ToolName = "wiretea/" + Version

// Revision returns the short commit the binary was built from, "" where the
// build does not know.
func Revision() string {
	revision := buildSetting("vcs.revision")
	if len(revision) < 12 {
		return ""
	}
	return revision[:12]
}

// buildSetting is what the binary was built with, "" where the build does not know.
func buildSetting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
