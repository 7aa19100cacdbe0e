package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// ownStreams are the files that may use this process' stdout and stderr as they are.
var ownStreams = map[string]string{
	"ui/cli/attach/tee.go":             "the server's bytes go to the client unchanged",
	"session/transport/tee_windows.go": "the same",
	"ui/cli/term/exit.go":              "it compares a name",
}

// TestTerminalWriters holds that what a command prints goes to a terminal through
// term.Output alone: nothing else names the process' stdout and stderr, prints to them
// unasked, or opens the terminal. Full screens are written by bubbletea.
func TestTerminalWriters(t *testing.T) {
	eachSource(t, func(rel string, text []byte) error {
		found, err := terminalWrites(text)
		for _, what := range found {
			if why := ownStreams[rel]; why == "" || !strings.HasPrefix(what, "os.") {
				t.Errorf("%s: %s: commands print through term.Output, or what cobra's command gives them", rel, what)
			}
		}
		return err
	})
}

// terminalWrites returns what of a file writes to the process' streams past term.Output.
func terminalWrites(text []byte) (found []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return nil, err
	}
	through := map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := dotted(n.Fun); name == "term.Output" {
				through[n.Args[0]] = true
			} else if strings.HasPrefix(name, "fmt.Print") || strings.HasPrefix(name, "log.Print") || strings.HasPrefix(name, "log.Fatal") || name == "print" || name == "println" || opensTerminal(name, n.Args) {
				found = append(found, name)
			}
		case *ast.SelectorExpr:
			if name := dotted(n); !through[n] && (name == "os.Stdout" || name == "os.Stderr") {
				found = append(found, name)
			}
		}
		return true
	})
	return found, nil
}

func opensTerminal(call string, args []ast.Expr) bool {
	if len(args) == 0 {
		return false
	}
	name, ok := args[0].(*ast.BasicLit)
	return ok && (call == "os.OpenFile" || call == "os.Create") && (strings.Contains(name.Value, "/dev/tty") || strings.Contains(name.Value, "CONOUT$"))
}

// dotted is a name with that of its package.
func dotted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// TestTerminalWrites holds that the test above notices.
func TestTerminalWrites(t *testing.T) {
	for code, want := range map[string]int{
		`fmt.Fprintln(term.Output(os.Stderr), 1)`: 0,
		`fmt.Fprintln(os.Stderr, 1)`:              1,
		`fmt.Println(1); println(2)`:              2,
		`os.OpenFile("/dev/tty", os.O_WRONLY, 0)`: 1,
		`log.Printf("")`:                          1,
	} {
		if found, err := terminalWrites([]byte("package x\nfunc f() { " + code + " }")); err != nil || len(found) != want {
			t.Errorf("%s: %q, want %d, %v", code, found, want, err)
		}
	}
}
