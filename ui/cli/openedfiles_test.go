package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// openedDirectly are the files that may open files of others without
// session/atomicfile, and why a pipe or a device there does no harm.
var openedDirectly = map[string]string{
	"session/atomicfile/open.go":           "it is the guard",
	"recorder/file.go":                     "a recording may be a pipe that the user names; it is read while it comes, and the wait ends with the command",
	"recorder/note.go":                     "the guard is in it, for files that are appended to",
	"session/client/answers.go":            "the user names it; the wait ends with the command",
	"session/client/http/given.go":         "the same",
	"ui/cli/call/request.go":               "the same",
	"ui/cli/term/outfile.go":               "the same, of a pipe that is written to",
	"ui/cli/replay/replay.go":              "it is known to be a regular file",
	"ui/pane/program.go":                   "it is a temporary file of ours",
	"recorder/capture/machine.go":          "it is /etc/passwd",
	"recorder/capture/process_linux.go":    "it is in /proc",
	"session/transport/processes_linux.go": "it is in /proc",
	"ui/process/usage.go":                  "it is in /proc",
	"session/transport/guard_unix.go":      "it is in /proc, or /dev/fd",
	"session/transport/guard.go":           "it is /dev/null",
	"session/transport/tee_windows.go":     "it is NUL",
	"recorder/create.go":                   "what is written to is refused if it is not a regular file",
	"recorder/disk.go":                     "the user names the pipe, and it waits for its reader",
	"recorder/summary.go":                  "what is not a regular file is refused before",
	"ui/screen/commands.go":                "it makes new files only",
	"session/json/schema/dialect.go":       "it is embedded",
}

// TestOpenedFiles holds that files whose names come from a folder, a configuration or a
// recording are opened by session/atomicfile, which refuses what is not a regular
// file without waiting: nothing else opens files, but for the ones above.
func TestOpenedFiles(t *testing.T) {
	used := map[string]bool{}
	eachSource(t, func(rel string, text []byte) error {
		if strings.Contains(rel, "test/") {
			return nil
		}
		found, err := opens(text)
		used[rel] = len(found) > 0
		if openedDirectly[rel] == "" && len(found) > 0 {
			t.Errorf("%s: %q: session/atomicfile opens files that others name", rel, found)
		}
		return err
	})
	for file := range openedDirectly {
		if !used[file] {
			t.Errorf("%s opens nothing any more", file)
		}
	}
}

// opens returns the calls in a file that open files for reading or writing.
func opens(text []byte) (found []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			switch name := dotted(sel); {
			case name == "os.Open", name == "os.OpenFile", name == "os.Create", name == "os.ReadFile", name == "toml.DecodeFile", strings.HasSuffix(name, ".ReadFile"):
				found = append(found, name)
			}
		}
		return true
	})
	return found, nil
}

// TestOpens holds that the test above notices.
func TestOpens(t *testing.T) {
	for code, want := range map[string]int{`os.Open("x")`: 1, `toml.DecodeFile("x", nil); os.ReadFile("y")`: 2, `atomicfile.Open("x")`: 0, `f(os.Open)`: 1} {
		if found, err := opens([]byte("package x\nfunc f() { " + code + " }")); err != nil || len(found) != want {
			t.Errorf("%s: %q, want %d, %v", code, found, want, err)
		}
	}
}
