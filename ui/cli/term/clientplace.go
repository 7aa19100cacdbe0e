package term

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"wiretea/recorder"
	"wiretea/session/clientconfig"
)

// ClientPlace is where this user's clients keep their files. An empty project is
// the current folder.
func ClientPlace(project string) (clientconfig.Place, error) {
	home, err := recorder.HomeFolder()
	if err != nil {
		return clientconfig.Place{}, Usage("set HOME", "%w", err)
	}
	if info, err := os.Stat(project); project != "" && (err != nil || !info.IsDir()) {
		return clientconfig.Place{}, Usage("--project wants the folder that holds .cursor, .vscode, .mcp.json, …", "no such folder: %s", Visible(project))
	}
	if project, err = filepath.Abs(project); err != nil {
		return clientconfig.Place{}, fmt.Errorf("finding the project: %w", err)
	}
	return clientconfig.Place{Home: home, Project: project, OS: runtime.GOOS, Getenv: os.Getenv}, nil
}
