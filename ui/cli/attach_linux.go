package cli

import (
	"fmt"
	"os"
	"strings"

	"wiretea/ui/format"
)

// processName is the name of a process, empty where it has ended. It may hold
// anything, and is made visible.
func processName(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return format.Visible([]byte(strings.TrimSpace(string(name))), 40)
}
