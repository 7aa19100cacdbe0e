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

// TestFaultsAreSaid holds that each fault is said with its line and its key, and hides
// nothing else.
func TestFaultsAreSaid(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		says  []string // says are the beginnings of what is said.
		theme string
	}{
		"unknown": {"theme = \"github\"\ncolour = \"red\"\n", []string{"config.toml:2: colour: unknown setting; did you mean colours"}, "github"},
		"values": {"# mine\ntheme = \"github\"\ntime = \"late\"\nnotice = \"-1s\"\nbackground = 7\n",
			[]string{`config.toml:3: time: is one of relative, absolute, delta, mark, not "late"`, "config.toml:4: notice: is a time", "config.toml:5: background: is a text in quotes, not a number"}, "github"},
		"theme":          {"theme = \"githup\"\n", []string{`config.toml:1: theme: unknown theme "githup": did you mean github`}, ""},
		"syntax":         {"theme = \nfoo\ntime = \"late\"\n[keys]\npair = [\"j\"]\nzzz = [\"k\"]\n", []string{"config.toml:1: ", "config.toml:2: ", "config.toml:3: time: ", "config.toml:5: keys.pair: the key j does both", "config.toml:6: keys.zzz: unknown action"}, ""},
		"twice":          {"theme = \"github\"\ntheme = \"monokai\"\n", []string{"config.toml:2: theme: "}, "github"},
		"limits":         {"[limits]\ntimeout = 60\nmost = \"1\"\n", []string{"config.toml:2: limits.timeout: is a text in quotes, not a number", "config.toml:3: limits.most: unknown limit"}, ""},
		"keys":           {"[keys]\npair = 1\nquit = [1]\nmark = []\n", []string{"config.toml:2: keys.pair: is a list", "config.toml:3: keys.quit: is a list", "config.toml:4: keys.mark: mark has no key"}, ""},
		"filters":        {"[filters]\nslow = \"lat>\"\nx = 1\n\"my own\" = \"is:eror\"\n", []string{"config.toml:2: filters.slow: ", "config.toml:3: filters.x: is a filter in quotes", "config.toml:4: filters.my own: "}, ""},
		"rules":          {"[[colours]]\nfilter = \"is:error\"\ncolour = \"pink\"\n[[colours]]\ncolour = \"#ff0000\"\n[[colours]]\nfilter = \"(\"\ncolour = \"ok\"\nsize = 3\n", []string{`config.toml:3: colours#1.colour: "pink" is not a colour`, "config.toml:4: colours#2: a rule has", "config.toml:9: colours#3.size: unknown"}, ""},
		"layouts":        {"[layouts.wide]\nmain = 400\nmian = 40\n[layouts]\nx = 1\n", []string{"config.toml:2: layouts.wide.main: is a share in percent", "config.toml:3: layouts.wide.mian: unknown", "config.toml:5: layouts.x: is a table"}, ""},
		"not a table":    {"keys = 1\ncolours = 1\n", []string{"config.toml:1: keys: is a table", "config.toml:2: colours: is written [[colours]]"}, ""},
		"hostile":        {"\"\\u001b[31m\" = 1\n", []string{`config.toml: "\x1b[31m": unknown setting`}, ""},
		"nothing at all": {"", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "config.toml", c.text)
			put(t, dir, "state.toml", "\x00garbage")
			s, err := config.Load(dir)
			if s.Theme != c.theme || s.Time != "" {
				t.Errorf("theme %q, time %q", s.Theme, s.Time)
			}
			var said []string
			if err != nil {
				said = strings.Split(err.Error(), "\n")
			}
			if len(said) != len(c.says) || len(s.Faults) != len(said) {
				t.Fatalf("said are %q", said)
			}
			for i, want := range c.says {
				if !strings.HasPrefix(said[i], want) {
					t.Errorf("said is %q, want %q", said[i], want)
				}
			}
		})
	}
}

// TestSettings holds what the parts of config.toml become.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "config.toml", `background = "light"
[keys]
pair = "P"
[filters]
slow = "lat>500ms"
[layouts.wide]
detail_below = true
main = 40
[[colours]]
filter = "t:brew"
colour = "#ff8800"
[[colours]]
filter = "is:error"
colour = "warning"
`)
	s, err := config.Load(dir)
	if err != nil || s.Background != "light" || !slices.Equal(s.Keys["pair"], []string{"P"}) || s.Filters["slow"] != "lat>500ms" || s.Layouts["wide"] != (config.Layout{Below: true, Main: 40}) ||
		!slices.Equal(s.Colours, []config.Colour{{"t:brew", "#ff8800"}, {"is:error", "warning"}}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestWrite holds that a setting is written where it belongs, and that all else stays as the
// person wrote it.
func TestWrite(t *testing.T) {
	const mine = "# my settings\n\ntheme = \"github\"  # easy on the eyes\n\n[keys] # fingers\n  pair = [\"P\"]\n\n# the end\n"
	for name, c := range map[string]struct {
		before, table, key string
		value              any
		want               string // want is empty where it is refused.
	}{
		"new file":         {"", "", "theme", "dracula", "theme = \"dracula\"\n"},
		"new file, table":  {"", "filters", "slow", "lat>1s", "[filters]\nslow = \"lat>1s\"\n"},
		"change":           {mine, "", "theme", "dracula", strings.Replace(mine, "github", "dracula", 1)},
		"add":              {mine, "", "time", "delta", strings.Replace(mine, "eyes\n", "eyes\ntime = \"delta\"\n", 1)},
		"add to a table":   {mine, "keys", "mark", "x", strings.Replace(mine, "[\"P\"]\n", "[\"P\"]\nmark = \"x\"\n", 1)},
		"add a table":      {mine, "filters", "a \"b\" \x1b", `b~"x\d"`, mine + "\n[filters]\n\"a \\\"b\\\" \\u001B\" = \"b~\\\"x\\\\d\\\"\"\n"},
		"a table in one":   {mine, "layouts.my wide", "main", 40, mine + "\n[layouts.\"my wide\"]\nmain = 40\n"},
		"remove":           {mine, "", "theme", nil, strings.Replace(mine, "theme = \"github\"  # easy on the eyes\n", "", 1)},
		"remove nothing":   {mine, "", "time", nil, mine},
		"a sign in a text": {"theme = \"a#b\" # c\n", "", "theme", "x", "theme = \"x\" # c\n"},
		"several lines":    {"[keys]\npair = [\n  \"P\",\n]\n", "keys", "pair", "Q", ""},
		"in a text":        {"x = \"\"\"\ntheme = 1\n\"\"\"\n", "", "theme", "dracula", ""},
		"inline":           {"filters = {slow = \"lat>1s\"}\n", "filters", "slow", "lat>2s", ""},
		"not TOML":         {"theme = \n", "", "time", "delta", ""},
		"comments only":    {"# hello\n", "", "time", "delta", "time = \"delta\"\n# hello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new")
			if c.before != "" {
				os.Mkdir(dir, 0o700)
				put(t, dir, "config.toml", c.before)
			}
			err := config.Write(dir, config.Change{Table: c.table, Key: c.key, Value: c.value})
			data, _ := os.ReadFile(filepath.Join(dir, "config.toml"))
			want := c.want
			if want == "" {
				if want = c.before; err == nil {
					t.Error("it is not refused")
				}
			} else if err != nil {
				t.Error(err)
			}
			if strings.TrimRight(string(data), "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", data, want)
			}
		})
	}
	if err := config.Write("", config.Change{Key: "theme", Value: "x"}); err == nil {
		t.Error("without a folder nothing is said")
	}
}

// TestColourRules holds that rules are added and removed, and nothing else changes.
func TestColourRules(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "config.toml", "theme = \"github\" # mine\n[[colours]] # first\nfilter = \"is:error\"\ncolour = \"error\"\n\n# the keys\n[keys]\npair = [\"P\"]\n")
	brew := config.Colour{Filter: `b~"\d" t:brew`, Colour: "#ff8800"}
	if err := config.Write(dir, config.Change{Table: "colours", Value: brew}); err != nil {
		t.Fatal(err)
	}
	if s, err := config.Load(dir); err != nil || !slices.Equal(s.Colours, []config.Colour{{"is:error", "error"}, brew}) {
		t.Errorf("%+v, %v", s.Colours, err)
	}
	if err := config.Write(dir, config.Change{Table: "colours", Value: config.Without{Filter: "is:error", Colour: "error"}}); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(filepath.Join(dir, "config.toml"))
	if s, err := config.Load(dir); err != nil || !slices.Equal(s.Colours, []config.Colour{brew}) || !strings.Contains(string(data), "\n# the keys\n[keys]\n") || !strings.Contains(string(data), "# mine") {
		t.Errorf("%+v, %v\n%s", s.Colours, err, data)
	}
	if err := config.Write(dir, config.Change{Table: "colours", Value: config.Without{Filter: "x", Colour: "error"}}, config.Change{Table: "colours", Value: brew}); err != nil {
		t.Error(err)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "config.toml")); string(now) != string(data) {
		t.Errorf("what was there already has changed the file:\n%s", now)
	}
}

// TestWriteLink holds that a file elsewhere, to which config.toml is a link, is the one that
// is written.
func TestWriteLink(t *testing.T) {
	dir, there := t.TempDir(), filepath.Join(t.TempDir(), "dot.toml")
	put(t, filepath.Dir(there), "dot.toml", "# mine\n")
	if err := os.Symlink(there, filepath.Join(dir, "config.toml")); err != nil {
		t.Skip(err)
	}
	if err := config.Write(dir, config.Change{Key: "theme", Value: "dracula"}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(there); err != nil || !strings.Contains(string(data), "dracula") {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "config.toml")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
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

// TestNew holds that somebody without a state is new, also after a start in which no session
// was shown, and that guidance that is left is kept.
func TestNew(t *testing.T) {
	dir := t.TempDir()
	s, err := config.Load(dir)
	if err != nil || !s.New {
		t.Fatal(s.New, err)
	}
	if err := s.Save(dir); err != nil {
		t.Fatal(err)
	}
	if s, _ = config.Load(dir); !s.New {
		t.Error("new no longer, without a session")
	}
	s.New, s.Guides = false, []string{"detail"}
	if err := s.Save(dir); err != nil {
		t.Fatal(err)
	}
	if s, _ = config.Load(dir); s.New || len(s.Guides) != 1 || s.Guides[0] != "detail" {
		t.Error(s.New, s.Guides)
	}
	set := t.TempDir()
	if err := os.WriteFile(filepath.Join(set, "config.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _ = config.Load(set); s.New {
		t.Error("who has config.toml is new")
	}
	// A state of before there was guidance is that of somebody who knows the program.
	if err := os.WriteFile(filepath.Join(dir, "state.toml"), []byte("theme = \"nord\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _ = config.Load(dir); s.New || s.Guides != nil {
		t.Error(s.New, s.Guides)
	}
}
