package commands

import (
	"slices"

	"wiretea/session/lazy"
)

// products are what brings commands.
var products = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"node": "Node.js", "npm": "Node.js", "npx": "Node.js", "uv": "uv", "uvx": "uv", "bun": "Bun", "bunx": "Bun", "deno": "Deno", "docker": "Docker", "podman": "Podman",
		"java": "Java", "mvn": "Maven", "gradle": "Gradle", "go": "Go", "cargo": "Rust", "dotnet": ".NET", "python": "Python", "python3": "Python", "pipx": "pipx", "poetry": "Poetry",
		"ruby": "Ruby", "php": "PHP", "tsx": "tsx", "ts-node": "ts-node", "yarn": "Yarn", "pnpm": "pnpm", "git": "Git",
	}
}}

// Product returns what must be installed to have a command; empty if it is not a
// known one.
func Product(command string) string { return products.Get()[command] }

// often are the commands for which a name may be meant, the most frequent first.
var often = [...]string{"npx", "node", "uvx", "python3", "python", "docker", "npm", "bunx", "deno", "java", "cargo", "dotnet"}

// Meant returns the command that was probably meant by a name: the one of Python's
// two that exists, for the other; for an unknown name a known one that differs by
// one letter more, less or other, or by two neighbours that changed places, one
// that exists before others. Empty = none.
func Meant(name string, exists func(command string) bool) string {
	like := slices.DeleteFunc(slices.Clone(often[:]), func(command string) bool { return !oneOff(name, command) })
	i := slices.IndexFunc(like, exists)
	known := products.Get()[name] != ""
	switch {
	case len(name) < 3, len(like) == 0, known && (i < 0 || products.Get()[name] != "Python"):
		return ""
	}
	return like[max(0, i)]
}

// oneOff reports whether two words differ by one letter more, less or other, or by
// two neighbours that changed places.
func oneOff(a, b string) bool {
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	a, b = a[start:], b[start:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a)+len(b) == 1, len(a) == 1 && len(b) == 1:
		return true
	}
	return len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
