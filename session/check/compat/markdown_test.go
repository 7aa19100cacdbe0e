package compat_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"wiretea/session/check/compat"
)

var update = flag.Bool("update", false, "write the documentation's page anew")

// The documentation's page is the table.
func TestDocs(t *testing.T) {
	var page bytes.Buffer
	if err := compat.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "..", "docs", "compat.md")
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, page.Bytes()) {
		t.Error(`docs/compat.md is not the table; run "go test ./session/check/compat -run Docs -update"`)
	}
}
