package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A mutant is the program with one change.
type mutant struct {
	guard string // guard is the name of the guard that it lacks; empty = it is a random one.
	file  string // file is the changed file, relative to the module; empty = nothing is changed.
	pkg   string // pkg is the package whose tests are run, relative to the module.
	tests string // tests is a pattern for the tests; empty = all.
	line  int
	old   string // old is the text that is replaced, and
	fresh string // fresh is the text that replaces it.

	source []byte // source is the file's text,
	at     int    // at is the offset of old in it.

	why  string        // why is what else is to be said of the outcome; empty = nothing.
	took time.Duration // took is how long the last tests took.
}

// String returns where the change is, and what it is.
func (m *mutant) String() string {
	if m.guard != "" {
		return fmt.Sprintf("%s: %s:%d, %s of %s", m.guard, m.file, m.line, m.tests, m.pkg)
	}
	short := func(text string) string {
		text = strings.Join(strings.Fields(text), " ")
		if runes := []rune(text); len(runes) > 60 {
			text = string(runes[:60]) + "…"
		}
		return text
	}
	return fmt.Sprintf("%s:%d: %s → %s", m.file, m.line, short(m.old), short(m.fresh))
}

// replace changes old to fresh. old must occur once in the file.
func (m *mutant) replace(old, fresh string) error {
	var err error
	if m.source, err = os.ReadFile(m.file); err != nil {
		return err
	}
	if n := bytes.Count(m.source, []byte(old)); n != 1 {
		return fmt.Errorf("guard %s: %s has its text %d times, must have it once: %q", m.guard, m.file, n, old)
	}
	m.at, m.old, m.fresh = bytes.Index(m.source, []byte(old)), old, fresh
	m.line = 1 + bytes.Count(m.source[:m.at], []byte("\n"))
	return nil
}

// try builds the tests with the change and runs them.
func (m *mutant) try(ctx context.Context, o *options) (outcome, error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return broken, err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs(".")
	if err != nil {
		return broken, err
	}
	changed := append(append(bytes.Clone(m.source[:m.at]), m.fresh...), m.source[m.at+len(m.old):]...)
	replaced := map[string]string{}
	if m.file != "" {
		replaced[filepath.Join(root, m.file)] = filepath.Join(dir, "changed.go")
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return broken, err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "changed.go"), changed, 0o600), os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)); err != nil {
		return broken, err
	}
	packages := []string{m.pkg}
	if m.guard == "" && o.also != "" {
		packages = append(packages, strings.Split(o.also, ",")...)
	}
	for _, pkg := range packages {
		if result, err := m.test(ctx, o, dir, root, pkg); result != survived || err != nil {
			return result, err
		}
	}
	return survived, nil
}

// test builds the tests of a package with the overlay in dir, and runs them where go
// test does.
func (m *mutant) test(ctx context.Context, o *options, dir, root, pkg string) (outcome, error) {
	binary := filepath.Join(dir, "tests")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, "./"+pkg)
	if text, err := build.CombinedOutput(); err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			m.why = string(text)
			return broken, nil
		}
		return broken, err
	}
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	args := []string{"-test.failfast", "-test.timeout", (2 * o.timeout).String()}
	if m.tests != "" {
		args = append(args, "-test.run", m.tests, "-test.v")
	}
	// A changed bound may have the tests take all memory there is: 8 GiB of address space are
	// many times what they need.
	tests := exec.CommandContext(limited, "sh", append([]string{"-c", `ulimit -v 8388608; exec "$0" "$@"`, binary}, args...)...)
	tests.Dir = filepath.Join(root, pkg)
	tests.WaitDelay = o.timeout
	start := time.Now()
	text, err := tests.CombinedOutput()
	m.took = time.Since(start)
	switch {
	case ctx.Err() != nil:
		return survived, ctx.Err()
	case limited.Err() != nil:
		return hung, nil
	case err != nil:
		return noticed, nil
	case m.tests != "" && !bytes.Contains(text, []byte("--- PASS: ")):
		m.why = "no test runs"
	}
	return survived, nil
}

// mutants returns the random changes that are possible in the files of a package that
// count on this system and whose name contains a text.
func mutants(pkg, only string) ([]mutant, error) {
	text, err := exec.Command("go", "list", "-f", `{{join .GoFiles "\n"}}`, "./"+pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", pkg, err)
	}
	var all []mutant
	for _, name := range strings.Fields(string(text)) {
		if !strings.Contains(name, only) {
			continue
		}
		file := filepath.Join(pkg, name)
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := changes(source)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			m.file, m.pkg = file, pkg
			all = append(all, m)
		}
	}
	return all, nil
}

// swaps are the operators that stand for each other.
var swaps = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.LAND: {"||"}, token.LOR: {"&&"}, token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"},
	token.AND: {"|"}, token.OR: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"}, token.REM: {"*"},
}

// changes returns the changes that are possible in the functions of a file.
func changes(source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []mutant
	replace := func(from, to token.Pos, fresh string) {
		at, end := files.Position(from), files.Position(to)
		all = append(all, mutant{line: at.Line, old: string(source[at.Offset:end.Offset]), fresh: fresh, source: source, at: at.Offset})
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "String" {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			change(n, replace)
			return true
		})
	}
	return all, nil
}

// change reports what can be changed at a node itself.
func change(n ast.Node, replace func(from, to token.Pos, fresh string)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		for _, fresh := range swaps[n.Op] {
			replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), fresh)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			replace(n.OpPos, n.OpPos+1, "")
		}
	case *ast.IfStmt:
		if _, compared := n.Cond.(*ast.BinaryExpr); !compared {
			replace(n.Cond.Pos(), n.Cond.Pos(), "false && ")
			replace(n.Cond.Pos(), n.Cond.Pos(), "true || ")
		}
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 10, 64); n.Kind == token.INT && err == nil {
			replace(n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
		}
	case *ast.Ident:
		if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
			replace(n.Pos(), n.End(), other)
		}
	case *ast.BlockStmt:
		leaveOut(n.List, replace)
	case *ast.CaseClause:
		leaveOut(n.Body, replace)
	}
}

// leaveOut replaces each of the statements that can be left out by nothing.
func leaveOut(list []ast.Stmt, replace func(from, to token.Pos, fresh string)) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.BranchStmt:
			replace(s.Pos(), s.End(), "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				replace(s.Pos(), s.End(), "")
			}
		}
	}
}
