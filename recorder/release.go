package recorder

import "runtime/debug"

// Version is the release this source belongs to.
const Version = "0.1.0"

// ToolName is what session files and reports call their writer.
const ToolName = "wiretea/" + Version

// Revision returns the short commit the binary was built from, "" where the
// build does not know.
func Revision() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return ""
}
