package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shellLine matches a text of the program's whose next word is one of a command line
// that somebody may paste.
var shellLine = regexp.MustCompile(`(^|[\s:;(>])(wiretea (run|tee|proxy|attach|clients|wrap|unwrap|open|call|check|replay|mock|diff|export|redact|scan|sessions|rules|demo)|curl|chmod|mkdir|rm|cd|sh|npx|uvx|go get|npm|pip|docker|claude|cat|kill)( [a-z+]+=?| --?[a-z-]+)* $|(^| )-- $|> $`)

// quoting are the functions by which such a word may be written.
var quoting = []string{"text.ShellWord", "text.ShellFile", "text.CommandLine", "ShellWord", "ShellFile"}

// constant are the words that come from the program itself, and variables that hold what
// one of the functions returned.
var constant = map[string]string{
	"file": "markdown.go: ShellFile", "command": "markdown.go and replay.go: CommandLine", "wrapped": "about.go: ShellWord",
	"s.Type": "the id of a client", "listWord(c.req.method)": "a word of the program's", "b.Name": "the name of a behaviour of demo",
	"hit.words(cmd, client.ID)": "clients/wrap.go: ShellWord", "f.method": "a method of the table of short forms", "f.word": "a word of that table",
	"f.wants": "a word of that table", "name": "clients/wrap.go: ShellWord", `strings.TrimLeft(groups[1], ">=")`: "a version: digits and dots", "recorder.Version": "the version", "(c.req.method)": "a word of the program's",
}

// TestShellLines holds that a word of somebody else's gets into a line for a shell only
// by way of text.ShellWord, ShellFile and CommandLine, and that nobody else quotes.
func TestShellLines(t *testing.T) {
	t.Parallel()
	eachSource(t, func(path string, text []byte) error {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, word := range shellWordsIn(n) {
				t.Errorf("%s: %s stands in a line for a shell: write it with text.ShellWord", fset.Position(n.Pos()), word)
			}
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING && !strings.HasSuffix(path, "text/shell.go") {
				if text, _ := strconv.Unquote(lit.Value); strings.Contains(text, `'\''`) || strings.Contains(text, `'"'"'`) {
					t.Errorf("%s: quotes for a shell: text.ShellWord does", fset.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
}

// shellWordsIn returns the words of a sum or a call with a format that are in a line
// for a shell as they are.
func shellWordsIn(n ast.Node) []string {
	var bare []string
	look := func(before string, word ast.Expr) {
		if text := source(word); shellLine.MatchString(before) && constant[text] == "" && !slices.ContainsFunc(quoting, func(f string) bool { return strings.HasPrefix(text, f+"(") }) {
			bare = append(bare, text)
		}
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if lit := lastLiteral(n.X); n.Op == token.ADD && lit != "" && !isLiteral(n.Y) {
			look(lit, n.Y)
		}
	case *ast.CallExpr:
		for i, arg := range n.Args {
			pieces := regexp.MustCompile(`%[-+#0-9.]*[a-z]`).Split(literal(arg), -1)
			for k, piece := range pieces[:len(pieces)-1] {
				if i+1+k < len(n.Args) {
					look(piece, n.Args[i+1+k])
				}
			}
		}
	}
	return bare
}

// lastLiteral is the text that a sum ends with; empty where that is not a literal.
func lastLiteral(e ast.Expr) string {
	if sum, is := e.(*ast.BinaryExpr); is && sum.Op == token.ADD {
		return lastLiteral(sum.Y)
	}
	return literal(e)
}

func isLiteral(e ast.Expr) bool { _, is := e.(*ast.BasicLit); return is }

func literal(e ast.Expr) string {
	lit, is := e.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value)
	return text
}

// source writes names, fields and calls of an expression.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return source(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		args := make([]string, len(e.Args))
		for i, arg := range e.Args {
			args[i] = source(arg)
		}
		return source(e.Fun) + "(" + strings.Join(args, ", ") + ")"
	case *ast.IndexExpr:
		return source(e.X) + "[" + source(e.Index) + "]"
	case *ast.BasicLit:
		return e.Value
	}
	return "an expression"
}
