package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGuards checks that the text of each guard is where guards.txt says, and that its
// tests exist.
func TestGuards(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	guards, err := parseGuards(guardsText)
	if err != nil || len(guards) < 40 {
		t.Fatalf("%d guards, %v", len(guards), err)
	}
	names := map[string]bool{}
	for _, m := range guards {
		if names[m.guard] {
			t.Errorf("two guards are called %s", m.guard)
		}
		names[m.guard] = true
		var source []byte
		files, err := filepath.Glob(filepath.Join(m.pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source = append(source, text...)
		}
		for pattern := range strings.SplitSeq(m.tests, "|") {
			name := strings.Trim(pattern, "^$")
			if !regexp.MustCompile(`(?m)^func ` + name + `\(t \*testing\.T\)`).Match(source) {
				t.Errorf("%s: %s has no test %s", m.guard, m.pkg, name)
			}
		}
	}
}

func TestChanges(t *testing.T) {
	const source = `package p

const c = 1 + 2

func (x T) String() string { return f(1) }

func g(a, b int, ok bool) (n int) {
	if a < b && ok {
		n = a + 1
		h(n)
	}
	if !ok {
		return
	}
	switch { case a == 0: n++ }
	return -n
}
`
	want := []string{
		"8: && → ||", "8: < → <=", "8: < → >=", "9: n = a + 1 → ", "10: h(n) → ", "9: + → -", "9: 1 → 2",
		"12:  → false && ", "12:  → true || ", "12: ! → ", "15: == → !=", "15: 0 → 1", "15: n++ → ",
	}
	found, err := changes([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		m.file = "f"
		got = append(got, strings.TrimPrefix(m.String(), "f:"))
		if string(m.source[m.at:m.at+len(m.old)]) != m.old {
			t.Errorf("%s is not at %d", m.old, m.at)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	for i := range want {
		want[i] = strings.Join(strings.Fields(want[i]), " ")
	}
	for i := range got {
		got[i] = strings.Join(strings.Fields(got[i]), " ")
	}
	if !slices.Equal(got, want) {
		t.Errorf("the changes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLeft holds that what survived or hung is tried again, and nothing else.
func TestLeft(t *testing.T) {
	all := []mutant{{file: "f.go", line: 1, old: "<", fresh: "<="}, {file: "f.go", line: 2, old: "f()"}, {file: "f.go", line: 3, old: "&", fresh: "|"}}
	const output = "seed 1: 3 of 3 changes\nSURVIVED f.go:2: f() →  \nHUNG f.go:3: & → | \n1 of 3 changes were noticed (33 %)\n"
	var lines []int
	for _, m := range left(all, output) {
		lines = append(lines, m.line)
	}
	if !slices.Equal(lines, []int{2, 3}) {
		t.Errorf("lines %v are tried again, want 2 and 3", lines)
	}
}
