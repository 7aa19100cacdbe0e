package cli

import (
	"fmt"
	"os"
	"strings"

	"wiretea/ui/units"
)

// processName is the name of a process, empty where it has ended. It may hold
// anything, and is made visible.
func processName(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return units.Visible([]byte(strings.TrimSpace(string(name))), 40)
}
