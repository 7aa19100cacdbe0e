package capture

import (
	"strings"
	"testing"
)

// TestLauncherAtWork holds which processes are a package manager that has not started
// the server yet.
func TestLauncherAtWork(t *testing.T) {
	for commands, want := range map[string]string{
		"npm exec @modelcontextprotocol/server-everything":               "npm",
		"node /usr/bin/npx -y server":                                    "npx",
		"/bin/sh /opt/bin/npx -y server":                                 "npx",
		"sh -c npx -y server|npm exec server":                            "npm",
		"npm exec server|node /usr/bin/node-gyp rebuild":                 "",
		"npm exec server|git clone https://example.org":                  "npm",
		"npm exec server|sh -c server|node /root/.npm/_npx/x/bin/server": "",
		"/root/.local/bin/uvx mcp-server-time":                           "uvx",
		"uv tool uvx mcp-server-time":                                    "uv",
		"uv tool uvx mcp-server-time|/root/.cache/uv/bin/python server":  "",
		"go run ./server|/usr/lib/go/pkg/tool/linux_amd64/compile -o x":  "go",
		"go run ./server|/tmp/go-build123/b001/exe/server":               "",
		`C:\Program_Files\nodejs\npx.cmd server`:                         "npx",
		"go-server run":                                                  "",
		"node server.js npx":                                             "",
		"npm start":                                                      "",
		"docker run -i --rm mcp/time":                                    "",
		"":                                                               "",
	} {
		if got := launcherAtWork(strings.Split(commands, "|")); got != want {
			t.Errorf("%q: got %q, want %q", commands, got, want)
		}
	}
}

// TestPuller holds from when to when a container program fetches an image.
func TestPuller(t *testing.T) {
	name := ""
	for _, step := range []struct{ line, want string }{
		{"starting", ""},
		{"Unable to find image 'mcp/time:latest' locally", "docker"},
		{"latest: Pulling from mcp/time", "docker"},
		{"Status: Downloaded newer image for mcp/time:latest", ""},
		{"Trying to pull docker.io/mcp/time:latest...", "podman"},
		{"Error: initializing source: no such image", ""},
	} {
		if name = puller(step.line, name); name != step.want {
			t.Errorf("after %q: %q, want %q", step.line, name, step.want)
		}
	}
}
