package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/ui/config"
)

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wiretea")
	s, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	s.Theme, s.Time = "dracula", "delta"
	s.Layout = config.Layout{Below: true, Main: 40, Body: 60, Low: 50, HideStderr: true}
	for _, line := range []string{"tools/list", `tools/call {"password":"x"}`, "ping", "tools/list"} {
		s.Remember(":", line)
	}
	if err := s.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Theme != "dracula" || got.Time != "delta" || got.Layout != s.Layout {
		t.Errorf("loaded %+v, saved %+v", got, s)
	}
	if want := []string{"ping", "tools/list"}; !slices.Equal(got.History(":"), want) {
		t.Errorf("history %q, want %q", got.History(":"), want)
	}
}

// TestConfigWins holds that what a person wrote goes before what was kept.
func TestConfigWins(t *testing.T) {
	dir := t.TempDir()
	s, _ := config.Load(dir)
	s.Theme = "dracula"
	if err := s.Save(dir); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "config.toml", "theme = \"github\"\n")
	if s, err := config.Load(dir); err != nil || s.Theme != "github" {
		t.Errorf("theme %q, %v", s.Theme, err)
	}
}

// TestFaultsAreSaid holds that a fault in a file hides nothing else.
func TestFaultsAreSaid(t *testing.T) {
	for name, c := range map[string]struct{ text, says, theme string }{
		"unknown": {"theme = \"github\"\ncolour = \"red\"\n", "unknown setting colour", "github"},
		"time":    {"theme = \"github\"\ntime = \"late\"\n", `not "late"`, "github"},
		"notice":  {"theme = \"github\"\nnotice = \"-1s\"\n", "not -1s", "github"},
		"syntax":  {"theme = \n", "config.toml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "config.toml", c.text)
			put(t, dir, "state.toml", "\x00garbage")
			s, err := config.Load(dir)
			if err == nil || !strings.Contains(err.Error(), c.says) || s.Theme != c.theme || s.Time != "" {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNotice(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		config      string
		info, wrong time.Duration
	}{{"", 4 * time.Second, 12 * time.Second}, {"notice = \"20s\"\n", 20 * time.Second, time.Minute}} {
		put(t, dir, "config.toml", tt.config)
		s, err := config.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info, wrong := s.NoticeFor(session.Info), s.NoticeFor(session.Error); info != tt.info || wrong != tt.wrong {
			t.Errorf("%q: %v, errors %v", tt.config, info, wrong)
		}
	}
}
