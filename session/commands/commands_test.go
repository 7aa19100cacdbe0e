package commands_test

import (
	"slices"
	"testing"

	"wiretea/session/commands"
)

func TestMeant(t *testing.T) {
	for _, test := range []struct {
		name, want string
		exist      []string
	}{
		{"pyhton", "python", nil},
		{"pyhton", "python", []string{"python"}},
		{"pythn", "python", []string{"python3"}},
		{"python", "python3", []string{"python3"}}, // As on many systems today.
		{"python", "", nil},
		{"nodee", "node", nil},
		{"npxx", "npx", nil},
		{"uxv", "uvx", nil},
		{"npm", "", []string{"npx"}},
		{"npm", "", nil},
		{"no", "", nil},
		{"weather-mcp", "", []string{"node"}},
		{"notes", "", []string{"node"}},
		{"python4", "python3", nil},
	} {
		got := commands.Meant(test.name, func(command string) bool { return slices.Contains(test.exist, command) })
		if got != test.want {
			t.Errorf("%s with %v: %q, want %q", test.name, test.exist, got, test.want)
		}
	}
}
