package screen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/ui/screen"
)

// TestExport: x opens the list of forms, and what is written holds no secret.
func TestExport(t *testing.T) {
	s := show(t, 120, 40, screen.Options{}, serverOf(talk(t), "node server.js"))
	s.WaitText("traffic")
	s.Keys("x")
	s.WaitText("jsonl")
	s.Type("html\r")
	s.WaitText(":export html session.html")
	file := filepath.Join(t.TempDir(), "page.html")
	s.Keys("esc")
	s.Type(":export html " + file + "\r")
	s.WaitText("wrote " + file)
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "<!doctype html>") || !strings.Contains(string(text), "initialize") {
		t.Errorf("%.200q, %v", text, err)
	}
	s.Type(":export html " + file + "\r")
	s.WaitText("file exists")
	if again, err := os.ReadFile(file); err != nil || string(again) != string(text) {
		t.Errorf("it was overwritten: %v", err)
	}
	copied := filepath.Join(t.TempDir(), "copy.mcpcap.jsonl")
	s.Type(":redact " + copied + "\r")
	s.WaitText("wrote " + copied)
	if text, err := os.ReadFile(copied); err != nil || !strings.Contains(string(text), `"redacted":true`) || !strings.Contains(string(text), "initialize") {
		t.Errorf("%.200q, %v", text, err)
	}
	s.Type(":export pdf x\r")
	s.WaitText("export FORM FILE: text html md")
	sane(t, s)
}
