package capture

import (
	"path"
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// launchers are the programs that fetch or build what they start, and the
// subcommands that do so; none = all do.
var launchers = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{
		"npx": nil, "npx-cli": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "pipx": nil, "jbang": nil,
		"npm": {"exec", "x", "install", "ci"}, "npm-cli": {"exec", "x", "install", "ci"}, "pnpm": {"dlx", "exec", "install"}, "yarn": {"dlx", "exec", "install"},
		"bun": {"x", "install"}, "uv": {"run", "tool", "x", "sync", "pip"}, "go": {"run", "build"}, "cargo": {"run", "build"}, "dotnet": {"run", "build", "tool"},
	}
}}

// neutral are programs that run others: they are neither launcher nor server.
var neutral = []string{"sh", "bash", "dash", "zsh", "env", "cmd", "sudo"}

// helpers are what launchers start for their own work.
var helpers = []string{
	"git", "git-remote-https", "ssh", "tar", "curl", "make", "cc", "gcc", "g++", "c++", "clang", "cc1", "cc1plus", "as", "ld", "collect2",
	"compile", "link", "asm", "cgo", "vet", "rustc", "cargo", "node-gyp",
}

// launcherAtWork returns the launcher among the command lines of a server's processes
// where no process is the server yet; empty where there is none.
func launcherAtWork(commands []string) (name string) {
	for _, line := range commands {
		launcher, other := launcherOf(line)
		switch {
		case launcher != "":
			name = launcher
		case other:
			return ""
		}
	}
	return name
}

// launcherOf returns the launcher that a command line is. other is set where the
// command may be a server.
func launcherOf(line string) (name string, other bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", false
	}
	program := programOf(words[0])
	if len(words) > 1 { // npm's programs are scripts of Node
		if _, script := launchers.Get()[programOf(words[1])]; script && strings.Contains(words[1], "/") {
			words = words[1:]
			program = programOf(words[0])
		}
	}
	does, known := launchers.Get()[program]
	switch {
	case known && (does == nil || slices.ContainsFunc(words[1:min(len(words), 4)], func(w string) bool { return slices.Contains(does, w) })):
		return strings.TrimSuffix(program, "-cli"), false
	case slices.Contains(neutral, program), slices.Contains(helpers, program):
		return "", false
	}
	return "", true
}

// programOf returns a program's name without its folder and ending.
func programOf(word string) string {
	name := strings.TrimLeft(path.Base(strings.ReplaceAll(word, `\`, "/")), "-")
	for _, ending := range []string{".exe", ".cmd", ".js", ".cjs"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// puller returns the container program that fetches an image, after a line of its
// stderr, and before.
func puller(line, before string) string {
	starts := func(with string) bool { return strings.HasPrefix(line, with) }
	switch {
	case starts("Unable to find image "):
		return "docker"
	case starts("Trying to pull "):
		return "podman"
	case starts("Status: "), starts("docker: "), starts("Writing manifest to image destination"), starts("Error: "):
		return ""
	}
	return before
}
