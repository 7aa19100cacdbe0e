package cli_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everywhere are the leaves that any package may import: a way to declare a variable,
// and how text is written, measured and made safe to show.
var everywhere = []string{"wiretea/session/lazy", "wiretea/session/text", "wiretea/session/cells"}

// arrows says what each package may import of this module; a trailing /… stands
// for everything below. What is not listed here may not exist.
var arrows = map[string][]string{
	"wiretea":                                 {"wiretea/ui/cli"},
	"wiretea/session/atomicfile":              {},
	"wiretea/session/lazy":                    {},
	"wiretea/session/framing":                 {},
	"wiretea/session/jsonrpc":                 {"wiretea/session/json/lex"},
	"wiretea/session/mcp":                     {},
	"wiretea/session/text":                    {},
	"wiretea/session/mcp/shape":               {"wiretea/session/mcp", "wiretea/session/json/lex", "wiretea/session/jsonrpc"},
	"wiretea/session/mcp/shape/shapetest":     {"wiretea/session/mcp", "wiretea/session/json/lex", "wiretea/session/jsonrpc"},
	"wiretea/session/json/lex":                {},
	"wiretea/session/json/diff":               {"wiretea/session/json/lex"},
	"wiretea/session/json/tree":               {"wiretea/session/json/lex"},
	"wiretea/session/json/schema":             {"wiretea/session/json/lex", "wiretea/session/json/tree"},
	"wiretea/session/check/compat":            leaves("wiretea/session/mcp/shape"),
	"wiretea/session/check/compat/compattest": leaves("wiretea/session/check/compat"),
	"wiretea/session/filewatch":               {},
	"wiretea/session/commands":                {},
	"wiretea/session/secrets":                 {"wiretea/session/json/lex"},
	"wiretea/session/check/cause":             family("wiretea/session/commands", "wiretea/session/json/lex"),
	"wiretea/session/check/rule":              leaves("wiretea/session", "wiretea/session/check/compat", "wiretea/session/json/schema", "wiretea/session/mcp/shape"),
	"wiretea/session/check/wire":              family("wiretea/session/check/cause", "wiretea/session/check/compat"),
	"wiretea/session/check/protocol":          family(),
	"wiretea/session/check/offers":            family("wiretea/session/check/compat", "wiretea/session/json/diff", "wiretea/session/json/schema", "wiretea/session/mcp/shape"),
	"wiretea/session/check/process":           family("wiretea/session/check/cause"),
	"wiretea/session/check/http":              family(),
	"wiretea/session":                         leaves(),
	"wiretea/session/filter":                  leaves("wiretea/session"),
	"wiretea/session/transport":               leaves("wiretea/session", "wiretea/session/atomicfile", "wiretea/session/commands"),
	"wiretea/session/transport/http":          leaves("wiretea/session", "wiretea/session/atomicfile", "wiretea/session/transport", "wiretea/session/secrets"),
	"wiretea/session/client":                  leaves("wiretea/session", "wiretea/session/json/schema", "wiretea/session/json/tree"),
	"wiretea/session/client/http":             leaves("wiretea/session", "wiretea/session/client", "wiretea/session/transport", "wiretea/session/transport/http"),
	"wiretea/session/client/auth":             leaves("wiretea/session/client/http", "wiretea/session/transport/http"),
	"wiretea/session/path":                    leaves("wiretea/session", "wiretea/session/atomicfile", "wiretea/session/filewatch", "wiretea/session/filter", "wiretea/session/transport"),
	"wiretea/session/check": family("wiretea/session/check/wire", "wiretea/session/check/protocol",
		"wiretea/session/check/offers", "wiretea/session/check/process", "wiretea/session/check/http"),
	"wiretea/session/demo":               leaves("wiretea/session"),
	"wiretea/session/clientconfig":       leaves("wiretea/session", "wiretea/session/atomicfile"),
	"wiretea/recorder":                   leaves("wiretea/session", "wiretea/session/atomicfile"),
	"wiretea/recorder/redact":            leaves("wiretea/session", "wiretea/session/json/lex", "wiretea/session/secrets", "wiretea/session/json/diff", "wiretea/recorder"),
	"wiretea/recorder/redact/redacttest": {},
	"wiretea/recorder/export":            {"wiretea/recorder/redact", "wiretea/recorder/statistics", "wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/analysis"},
	"wiretea/recorder/replay":            {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/export"},
	"wiretea/recorder/diff":              {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/statistics"},
	"wiretea/recorder/analysis":          {"wiretea/session", "wiretea/session/…", "wiretea/recorder"},
	"wiretea/recorder/verdict":           {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/analysis", "wiretea/recorder/statistics"},
	"wiretea/recorder/verdict/report":    {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/diff", "wiretea/recorder/replay", "wiretea/recorder/verdict", "wiretea/recorder/statistics"},
	"wiretea/recorder/verdict/account":   {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/analysis", "wiretea/recorder/checkup"},
	"wiretea/recorder/watch":             {"wiretea/session", "wiretea/session/filewatch", "wiretea/session/transport", "wiretea/recorder"},
	"wiretea/recorder/inventory":         {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/analysis", "wiretea/recorder/capture"},
	"wiretea/recorder/checkup":           {"wiretea/recorder/analysis", "wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/capture", "wiretea/recorder/verdict"},
	"wiretea/recorder/capture":           {"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/analysis"},
	"wiretea/session/cells":              {},
	"wiretea/ui/keys":                    {},
	"wiretea/ui/highlight":               {},
	"wiretea/recorder/recordertest":      {"wiretea/session", "wiretea/session/mcp", "wiretea/recorder"},
	"wiretea/ui/termtest":                {},
	"wiretea/ui/config":                  {"wiretea/ui/keys", "wiretea/ui/style", "wiretea/session", "wiretea/session/filter", "wiretea/session/atomicfile"},
	"wiretea/ui/style":                   leaves("wiretea/session"),
	"wiretea/ui/jsonview":                leaves("wiretea/session/filter", "wiretea/ui/keys", "wiretea/ui/style", "wiretea/ui/highlight"),
	"wiretea/ui/pane":                    leaves("wiretea/session", "wiretea/session/filter", "wiretea/recorder", "wiretea/ui/keys", "wiretea/ui/source", "wiretea/ui/style"),
	"wiretea/ui/source":                  leaves("wiretea/recorder/watch", "wiretea/session", "wiretea/session/client", "wiretea/recorder"),
	"wiretea/recorder/statistics":        {"wiretea/recorder", "wiretea/session", "wiretea/session/…"},
	"wiretea/ui/chart":                   {"wiretea/recorder/statistics", "wiretea/ui/style"},
	"wiretea/ui/list":                    panes(),
	"wiretea/ui/keyhelp":                 {"wiretea/ui/keys", "wiretea/ui/list", "wiretea/ui/style"},
	"wiretea/ui/panetest":                panes(),
	"wiretea/ui/traffic":                 panes("wiretea/ui/content"),
	"wiretea/ui/content":                 leaves("wiretea/session/json/diff", "wiretea/session/json/schema", "wiretea/session/json/tree", "wiretea/recorder/statistics", "wiretea/ui/highlight"),
	"wiretea/ui/outside":                 {},
	"wiretea/ui/detail":                  panes("wiretea/recorder/export", "wiretea/ui/content"),
	"wiretea/ui/stderr":                  panes(),
	"wiretea/ui/findings":                panes("wiretea/session/check/cause"),
	"wiretea/ui/held":                    panes("wiretea/ui/jsonview"),
	"wiretea/ui/intercept":               panes("wiretea/ui/config", "wiretea/ui/composer/form", "wiretea/ui/compare", "wiretea/ui/held", "wiretea/ui/host", "wiretea/ui/overlay", "wiretea/recorder/analysis"),
	"wiretea/ui/process":                 panes(),
	"wiretea/ui/stats":                   panes("wiretea/recorder/statistics", "wiretea/ui/chart"),
	"wiretea/ui/waterfall":               panes(),
	"wiretea/ui/tools":                   panes("wiretea/recorder/statistics", "wiretea/ui/composer/arguments"),
	"wiretea/ui/home":                    panes("wiretea/recorder/inventory", "wiretea/ui/config"),
	"wiretea/ui/compare":                 panes("wiretea/session/json/diff"),
	"wiretea/ui/overlay":                 {"wiretea/ui/keyhelp", "wiretea/ui/keys", "wiretea/ui/list", "wiretea/ui/style"},
	"wiretea/ui/layout":                  {"wiretea/ui/config", "wiretea/ui/keys"},
	"wiretea/ui/preferences":             panes("wiretea/ui/config", "wiretea/ui/host", "wiretea/ui/overlay", "wiretea/ui/traffic"),
	"wiretea/ui/leaving":                 panes("wiretea/ui/host", "wiretea/ui/intercept", "wiretea/ui/overlay"),
	"wiretea/ui/termimage":               panes("wiretea/ui/content", "wiretea/ui/host"),
	"wiretea/ui/comparing":               panes("wiretea/ui/compare", "wiretea/ui/host"),
	"wiretea/ui/prompt":                  panes("wiretea/ui/config", "wiretea/ui/host"),
	"wiretea/ui/tour":                    panes("wiretea/ui/host"),
	"wiretea/ui/host":                    panes("wiretea/ui/layout", "wiretea/recorder", "wiretea/ui/overlay", "wiretea/ui/traffic", "wiretea/ui/detail", "wiretea/ui/stderr", "wiretea/ui/findings", "wiretea/ui/held", "wiretea/ui/process", "wiretea/ui/stats", "wiretea/ui/tools", "wiretea/ui/compare", "wiretea/ui/waterfall"),
	"wiretea/ui/timeline":                panes("wiretea/ui/host", "wiretea/recorder/analysis"),
	"wiretea/ui/requests":                panes("wiretea/ui/composer/form", "wiretea/ui/outside", "wiretea/session/client", "wiretea/ui/compare", "wiretea/ui/host", "wiretea/ui/overlay"),
	"wiretea/ui/composer":                panes("wiretea/session/atomicfile", "wiretea/session/json/tree", "wiretea/session/secrets", "wiretea/recorder/statistics", "wiretea/ui/chart", "wiretea/session/client", "wiretea/ui/composer/arguments", "wiretea/ui/composer/form", "wiretea/ui/detail", "wiretea/ui/host", "wiretea/ui/overlay", "wiretea/ui/requests"),
	"wiretea/ui/screen":                  panes("wiretea/recorder/capture", "wiretea/session/check/rule", "wiretea/session/atomicfile", "wiretea/recorder/inventory", "wiretea/recorder/watch", "wiretea/ui/chart", "wiretea/ui/compare", "wiretea/ui/comparing", "wiretea/ui/composer", "wiretea/ui/config", "wiretea/ui/detail", "wiretea/ui/home", "wiretea/ui/host", "wiretea/ui/intercept", "wiretea/ui/layout", "wiretea/ui/leaving", "wiretea/ui/outside", "wiretea/ui/overlay", "wiretea/ui/preferences", "wiretea/ui/prompt", "wiretea/ui/requests", "wiretea/ui/termimage", "wiretea/ui/timeline", "wiretea/ui/tour", "wiretea/ui/traffic", "wiretea/ui/waterfall", "wiretea/recorder/export", "wiretea/recorder/redact", "wiretea/session/client", "wiretea/recorder"),
	"wiretea/ui/composer/form":           panes("wiretea/session/json/schema", "wiretea/session/json/tree"),
	"wiretea/ui/composer/arguments":      {"wiretea/session/json/lex", "wiretea/session/json/schema", "wiretea/session/json/tree"},
	"wiretea/ui/plain":                   leaves("wiretea/session", "wiretea/session/filter", "wiretea/session/check", "wiretea/session/check/cause", "wiretea/recorder"),
	"wiretea/ui/viewer":                  leaves("wiretea/session", "wiretea/session/client", "wiretea/session/client/http", "wiretea/session/demo", "wiretea/session/filewatch", "wiretea/recorder", "wiretea/recorder/capture", "wiretea/recorder/inventory", "wiretea/recorder/watch", "wiretea/ui/home", "wiretea/ui/pane", "wiretea/ui/screen", "wiretea/ui/source", "wiretea/ui/tour"),
	"wiretea/ui/cli/term":                leaves("wiretea/recorder/analysis", "wiretea/session", "wiretea/session/filter", "wiretea/session/atomicfile", "wiretea/session/clientconfig", "wiretea/session/check", "wiretea/session/client", "wiretea/session/json/diff", "wiretea/session/transport", "wiretea/recorder", "wiretea/ui/config", "wiretea/ui/plain"),
	"wiretea/ui/cli/flags":               leaves("wiretea/session/atomicfile", "wiretea/session/path", "wiretea/session", "wiretea/session/client", "wiretea/session/transport/http", "wiretea/session/client/auth", "wiretea/session/client/http", "wiretea/session/transport", "wiretea/recorder", "wiretea/recorder/capture", "wiretea/recorder/replay", "wiretea/ui/outside", "wiretea/ui/cli/term", "wiretea/ui/source", "wiretea/ui/viewer"),
	"wiretea/ui/cli/display":             leaves("wiretea/session", "wiretea/session/client", "wiretea/recorder", "wiretea/recorder/capture", "wiretea/ui/cli/flags", "wiretea/ui/cli/term", "wiretea/ui/config", "wiretea/ui/pane", "wiretea/ui/screen", "wiretea/ui/source", "wiretea/ui/style"),
	"wiretea/ui/cli/attach":              commands("wiretea/ui/list", "wiretea/ui/style", "wiretea/ui/keys", "wiretea/ui/screen", "wiretea/ui/source", "wiretea/ui/viewer"),
	"wiretea/ui/cli/call":                commands("wiretea/ui/composer/arguments", "wiretea/session/json/schema", "wiretea/session/json/tree"),
	"wiretea/ui/cli/run":                 commands("wiretea/ui/screen", "wiretea/ui/source", "wiretea/ui/viewer"),
	"wiretea/ui/cli/check":               commands(),
	"wiretea/ui/cli/clients":             commands(),
	"wiretea/ui/cli/files":               commands(),
	"wiretea/ui/cli/replay":              commands(),
	"wiretea/ui/cli":                     {"wiretea/…"},
}

// neverIn lists imports that a package keeps away from although its arrows, or
// the standard library, would let it. A trailing /… stands for the packages below.
var neverIn = map[string][]string{
	"wiretea/session/transport":      {"wiretea/session/jsonrpc", "wiretea/session/check", "encoding/json"},
	"wiretea/session/transport/http": {"wiretea/session/jsonrpc", "wiretea/session/check"},
	"wiretea/session":                {"os", "net", "wiretea/recorder", "wiretea/recorder/…", "wiretea/ui/…"},
	"wiretea/session/…":              {"wiretea/recorder", "wiretea/recorder/…", "wiretea/ui/…"},
	"wiretea/recorder":               {"wiretea/ui/…"},
	"wiretea/recorder/…":             {"wiretea/ui/…"},
	"wiretea/session/framing":        {"os", "encoding/json"},
	"wiretea/session/jsonrpc":        {"os", "encoding/json"},
	"wiretea/session/check":          {"os", "net"},
	"wiretea/session/check/…":        {"os", "net"},
	"wiretea/session/clientconfig":   {"os/exec", "net", "net/http"},
}

// ceilings are how many lines, tests left out, and how many packages a wing may have. What
// needs more names what it replaces.
var ceilings = map[string]struct{ lines, packages int }{
	"session":  {71_500, 36},
	"recorder": {30_800, 16},
	"ui":       {64_700, 54},
}

// TestCeilings holds the size of each wing.
func TestCeilings(t *testing.T) {
	lines, packages := map[string]int{}, map[string]map[string]bool{}
	eachSource(t, func(file string, text []byte) error {
		wing, _, _ := strings.Cut(file, "/")
		if packages[wing] == nil {
			packages[wing] = map[string]bool{}
		}
		lines[wing] += bytes.Count(text, []byte{'\n'})
		packages[wing][path.Dir(file)] = true
		return nil
	})
	for wing, most := range ceilings {
		if n, p := lines[wing], len(packages[wing]); n > most.lines || p > most.packages {
			t.Errorf("%s has %d lines in %d packages, more than %d in %d: delete what is replaced", wing, n, p, most.lines, most.packages)
		}
	}
}

func leaves(more ...string) []string {
	return append([]string{"wiretea/session/framing", "wiretea/session/jsonrpc", "wiretea/session/mcp", "wiretea/session/json/lex"}, more...)
}

// family is what a family of rules may import: no family knows another.
func family(more ...string) []string {
	return append(leaves("wiretea/session", "wiretea/session/check/rule"), more...)
}

// commands is what a family of commands may import: no family knows another.
func commands(more ...string) []string {
	return append([]string{"wiretea/session", "wiretea/session/…", "wiretea/recorder", "wiretea/recorder/…",
		"wiretea/ui/cli/display", "wiretea/ui/cli/flags", "wiretea/ui/cli/term", "wiretea/ui/plain"}, more...)
}

// panes is what a pane of the screen may import: no pane knows another.
func panes(more ...string) []string {
	return append(leaves("wiretea/session", "wiretea/session/filter", "wiretea/session/check", "wiretea/session/check/compat", "wiretea/recorder", "wiretea/ui/jsonview", "wiretea/ui/highlight",
		"wiretea/ui/keys", "wiretea/ui/keyhelp", "wiretea/ui/pane", "wiretea/ui/list", "wiretea/ui/source", "wiretea/ui/style"), more...)
}

// TestArrows holds the architecture: which package may import which.
func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for pkg, imports := range moduleImports(t) {
		seen[pkg] = true
		allowed, listed := arrows[pkg]
		if !listed {
			t.Errorf("package %s has no place in the architecture: add it to arrows, on purpose", pkg)
			continue
		}
		for imp, file := range imports {
			if inModule(imp) && !slices.Contains(everywhere, imp) && !matchAny(imp, allowed) {
				t.Errorf("%s: %s must not import %s", file, pkg, imp)
			}
			for of, banned := range neverIn {
				if matchAny(pkg, []string{of}) && matchAny(imp, banned) {
					t.Errorf("%s: %s keeps away from %s", file, pkg, imp)
				}
			}
		}
	}
	for pkg := range arrows {
		if !seen[pkg] {
			t.Errorf("arrows names %s, which does not exist", pkg)
		}
	}
}

// TestTopLevel holds the list of what is in the project's root.
func TestTopLevel(t *testing.T) {
	want := map[string]bool{"main.go": true, "ui": true, "session": true, "recorder": true, "docs": true,
		"go.mod": true, "go.sum": true, "README.md": true, "LICENSE": true}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !want[name] && !strings.HasPrefix(name, ".") && name != "wiretea" {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

// TestPackageDocs holds that every package says what it is in its doc.go.
func TestPackageDocs(t *testing.T) {
	for pkg := range arrows {
		if pkg == "wiretea" {
			continue
		}
		dir := filepath.Join("..", "..", strings.TrimPrefix(pkg, "wiretea/"))
		if _, err := os.Stat(filepath.Join(dir, "doc.go")); err != nil {
			t.Errorf("%s has no doc.go", pkg)
		}
	}
}

// moduleImports maps each package of the module to what its files, tests aside,
// import, and a file that does.
func moduleImports(t *testing.T) map[string]map[string]string {
	t.Helper()
	out := map[string]map[string]string{}
	eachSource(t, func(file string, text []byte) error {
		pkg := path.Join("wiretea", path.Dir(file))
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if out[pkg] == nil {
			out[pkg] = map[string]string{}
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out[pkg][imp] = file
		}
		return nil
	})
	return out
}

// eachSource calls see with the path, from the module's root, and the text of each file of
// the module, tests aside.
func eachSource(t *testing.T, see func(file string, text []byte) error) {
	t.Helper()
	root := filepath.Join("..", "..")
	if err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return see(filepath.ToSlash(rel), text)
	}); err != nil {
		t.Fatal(err)
	}
}

func inModule(imp string) bool { return imp == "wiretea" || strings.HasPrefix(imp, "wiretea/") }

func matchAny(imp string, patterns []string) bool {
	for _, p := range patterns {
		if below, ok := strings.CutSuffix(p, "/…"); ok && strings.HasPrefix(imp, below+"/") || imp == p {
			return true
		}
	}
	return false
}

// TestKitsOfTests holds that no package of the product imports what only tests and
// benches use.
func TestKitsOfTests(t *testing.T) {
	kit := func(pkg string) bool { return strings.HasSuffix(pkg, "test") }
	for pkg, imports := range moduleImports(t) {
		for imp, file := range imports {
			if kit(imp) && inModule(imp) && !kit(pkg) {
				t.Errorf("%s: %s imports the test kit %s", file, pkg, imp)
			}
		}
	}
}
