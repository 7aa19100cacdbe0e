package clientconfig

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// FuzzJSON: whatever is in a file, nothing panics; what strict JSON allows is
// read; and each entry that can be wrapped comes back to the same bytes.
func FuzzJSON(f *testing.F) {
	seed(f, false)
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := scanJSON(data)
		if json.Valid(data) && (err != nil || root == nil) && checkText(data) == nil && !tooDeep(data) {
			t.Fatalf("JSON was refused: %v", err)
		}
		fuzzFormat(t, jsonFormat{paths: []string{"mcpServers"}, projects: "projects"}, data)
		fuzzFormat(t, jsonFormat{paths: []string{"servers"}}, data)
		fuzzFormat(t, named("any"), data)
	})
}

// tooDeep reports whether data may be nested deeper than is read.
func tooDeep(data []byte) bool {
	n := 0
	for _, c := range data {
		if c == '[' || c == '{' {
			n++
		}
	}
	return n >= maxDepth
}

// FuzzTOML is FuzzJSON for TOML, whose places must also be found in all that
// the TOML library reads.
func FuzzTOML(f *testing.F) {
	seed(f, true)
	f.Fuzz(func(t *testing.T, data []byte) {
		var v map[string]any
		valid := checkText(data) == nil && toml.Unmarshal(data, &v) == nil
		if _, err := scanTOML(data); err != nil && valid && !tooDeep(data) {
			t.Fatalf("TOML was refused: %v", err)
		}
		fuzzFormat(t, tomlFormat{}, data)
	})
}

// FuzzYAML is FuzzJSON for YAML.
func FuzzYAML(f *testing.F) {
	for _, path := range []string{"goose.yaml", "continue.yaml"} {
		data, err := os.ReadFile("testdata/corpus/" + path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{"", bom, "mcpServers:\n- name: a\n  command: x", "mcpServers: {a: {command: x, args: [ y ]}}", "mcpServers:\n  a:\n    command: 'it''s'\n    args: # none\n    - \"b\\\"\"\r\n",
		"mcpServers:\n  a: &a\n    command: x\n  b: *a\n", "mcpServers:\n  a:\n    url: http://[::1]:3000", "mcpServers:\n - name: é\n   command: |\n    x\n   env: {A: b\n  c}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzFormat(t, named("continue"), data)
		fuzzFormat(t, named("goose"), data)
	})
}

func seed(f *testing.F, wantTOML bool) {
	for path, client := range corpus(f) {
		if strings.HasSuffix(path, ".yaml") || (client == "codex") != wantTOML {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{"", bom, `{"servers":{"a":{"url":"https://a.example:8443/mcp?x=1#y"}}}`, "[mcp_servers.a]\nurl = 'http://[::1]:3000'", `{"mcpServers":{"":{"command":"","args":[ "a" ,]}}}`, `{"mcp":{"a":{"command":[ "a" /**/ , ] }}}`, `{"servers":{"a":{"command":"x"//` + "\n}}}",
		"[mcp_servers.a]\ncommand=\"\"\"x\"\"\"\"\"\nargs=[]#", "[mcp_servers.a]\nargs=[ 'x', ]\ncommand='y'"} {
		f.Add([]byte(text))
	}
}

func fuzzFormat(t *testing.T, format format, data []byte) {
	f := parse("fuzz", format, data)
	if f.Err != nil {
		return
	}
	for _, s := range f.Servers {
		if s.From < 0 || s.From > s.To || s.To > len(data) {
			t.Fatalf("%q is from %d to %d of %d", s.Name, s.From, s.To, len(data))
		}
		c, err := f.Wrap(s, binary)
		if err != nil {
			continue
		}
		_ = c.Diff()
		if !s.Wrapped {
			roundTrip(t, f, s, c)
		}
	}
	if c, err := f.Unwrap(f.Servers...); err == nil {
		_ = c.Diff()
	}
}
