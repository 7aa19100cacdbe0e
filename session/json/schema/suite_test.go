//go:build schemasuite

package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// optional are the files of the suite's optional tests that are not held, with the
// reason.
var optional = map[string]string{
	"format":                          "formats are annotations",
	"format-assertion":                "formats are annotations",
	"content":                         "contents are annotations",
	"cross-draft":                     "2019-09 is not supported",
	"dependencies-compatibility":      "a keyword of draft-07 only",
	"draft2020-12/optional/anchor":    "",
	"draft2020-12/optional/no-schema": "",
}

// TestSuite holds the verdicts of the official JSON Schema Test Suite, which lies in
// the folder that WIRETEA_SCHEMA_SUITE names.
func TestSuite(t *testing.T) {
	suite := os.Getenv("WIRETEA_SCHEMA_SUITE")
	documents := func(uri string) []byte {
		path, ok := strings.CutPrefix(uri, "http://localhost:1234/")
		if !ok {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(suite, "remotes", path))
		if err != nil {
			t.Errorf("reading a document of the suite: %v", err)
		}
		return text
	}
	for draft, uri := range map[string]string{
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
		"draft7":       "http://json-schema.org/draft-07/schema#",
	} {
		files, _ := filepath.Glob(filepath.Join(suite, "tests", draft, "*.json"))
		more, _ := filepath.Glob(filepath.Join(suite, "tests", draft, "optional", "*.json"))
		if len(files) < 30 || len(more) < 5 {
			t.Fatalf("%s: %d and %d files", draft, len(files), len(more))
		}
		for _, file := range slices.Concat(files, more) {
			name, _ := filepath.Rel(filepath.Join(suite, "tests"), file)
			t.Run(strings.TrimSuffix(name, ".json"), func(t *testing.T) {
				if why := optional[strings.TrimSuffix(filepath.Base(name), ".json")]; why != "" && strings.Contains(name, "optional") {
					t.Skip(why)
				}
				testFile(t, file, Options{Documents: documents, Default: uri})
			})
		}
	}
}

func testFile(t *testing.T, file string, options Options) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		s, err := options.Compile(g.Schema)
		if err != nil {
			t.Errorf("%s: %v", g.Description, err)
			continue
		}
		for _, c := range g.Tests {
			wrong, _, err := s.Validate(c.Data, 0)
			if (wrong == nil) != c.Valid || err != nil {
				t.Errorf("%s: %s: %+v, %v; want valid: %v", g.Description, c.Description, wrong, err, c.Valid)
			}
		}
	}
}
