package capture

import (
	"fmt"
	"os"
	"strings"
)

// processName returns the name of a process; empty where it has exited.
func processName(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
