package outside

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// Browser is the command that opens a URL: $BROWSER, else that of the system.
func Browser() []string {
	if name := os.Getenv("BROWSER"); name != "" {
		return []string{name}
	}
	return Opener()
}

// Opener is the command with which the system opens a file or a URL.
func Opener() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open"}
}

// Open starts a command with target as its last argument.
func Open(command []string, target string) error {
	cmd := exec.Command(command[0], append(command[1:len(command):len(command)], target)...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", command[0], err)
	}
	go func() { _ = cmd.Wait() }() // It is the person's to look at.
	return nil
}
