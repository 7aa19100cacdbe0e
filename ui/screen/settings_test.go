package screen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/ui/config"
	"wiretea/ui/screen"
	"wiretea/ui/style"
	"wiretea/ui/termtest"
)

// inConfig waits until config.toml has a text.
func inConfig(t *testing.T, s *termtest.Session, dir, text string) {
	t.Helper()
	s.WaitFor(func(string) bool {
		data, _ := os.ReadFile(filepath.Join(dir, "config.toml"))
		return strings.Contains(string(data), text)
	})
}

// settings loads those of a text.
func settings(t *testing.T, text string) (config.Settings, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, _ := config.Load(dir)
	return set, dir
}

// TestSettings holds that the page of settings shows all faults, changes what is chosen at
// once, and keeps it in config.toml beside what the person wrote there.
func TestSettings(t *testing.T) {
	set, dir := settings(t, "# mine\ncolor = 1\ntime = \"relative\" # short\nnotice = \"soon\"\n")
	s := show(t, 120, 40, screen.Options{Settings: set, Folder: dir}, recording(t))
	s.WaitText("traffic")
	s.Type(":settings\r")
	s.WaitText("✖ line 2")
	s.WaitText("color: unknown setting")
	s.WaitText("✖ line 4")
	s.WaitText("notice: is a time such as 10s")
	s.Golden("settings-120x40")
	s.Type("times of rows")
	s.Keys("right")
	s.WaitText("10:00:0")
	inConfig(t, s, dir, "# mine\ncolor = 1\ntime = \"absolute\" # short\n")
	s.Keys("right")
	inConfig(t, s, dir, "time = \"delta\" # short\n")
	s.Keys("esc")
	s.Type(":set background light\r")
	inConfig(t, s, dir, "background = \"light\"\n")
	s.WaitTerminal(func(term *termtest.Terminal) bool { return hasStyle(term, style.New("", false, false)) })
	s.Type(":set background\r")
	s.WaitTerminal(func(term *termtest.Terminal) bool { return hasStyle(term, style.New("", true, false)) })
	s.Type(":set limits.timeout 30s\r")
	inConfig(t, s, dir, "[limits]\ntimeout = \"30s\"\n")
	s.Type(":set tiem delta\r")
	s.WaitText("unknown setting \"tiem\"")
	s.Type(":set background blue\r")
	s.WaitText("is one of auto, dark, light")
	sane(t, s)
}

// hasStyle reports whether the program's name has a theme's accent.
func hasStyle(term *termtest.Terminal, th *style.Theme) bool {
	_, look := term.Cell(1, 0)
	return strings.Contains(look.String(), wantColour(th))
}

// wantColour is the colour of a theme's accent as termtest writes it.
func wantColour(th *style.Theme) string {
	t := termtest.New(4, 1, termtest.Options{})
	_, _ = t.Write([]byte(th.Accent.Paint("w")))
	_, look := t.Cell(0, 0)
	return look.String()
}

// TestThemes holds that a theme is seen while it is chosen, that esc goes back, and enter
// keeps it.
func TestThemes(t *testing.T) {
	set, dir := settings(t, "")
	s := show(t, 120, 40, screen.Options{Settings: set, Folder: dir}, recording(t))
	s.WaitText("traffic")
	at := func(name string) {
		t.Helper()
		s.WaitTerminal(func(term *termtest.Terminal) bool { return hasStyle(term, style.New(name, true, false)) })
	}
	s.Type(":theme\r")
	s.WaitText("enter keeps a theme")
	s.Type("dracula")
	at("dracula")
	s.Keys("esc")
	at("")
	if data, _ := os.ReadFile(filepath.Join(dir, "config.toml")); len(data) > 0 {
		t.Errorf("a theme that was only looked at was written:\n%s", data)
	}
	s.Type(":theme\r")
	s.WaitText("enter keeps a theme")
	s.Type("monokai")
	at("monokai")
	s.Keys("enter")
	inConfig(t, s, dir, "theme = \"monokai")
	s.Type(":theme drac\t\r")
	at("dracula")
	inConfig(t, s, dir, "theme = \"dracula")
	s.Type(":thems\r")
	s.WaitText(`unknown command "thems"; did you mean theme?`)
	sane(t, s)
}

// TestSavedFilters holds that a filter is saved by name, listed from the line of the filter,
// put in force again and removed.
func TestSavedFilters(t *testing.T) {
	set, dir := settings(t, "[filters]\n\"\\u001b[2J\" = \"ping\"\nslow = \"lat>100ms\"\n")
	s := show(t, 120, 40, screen.Options{Settings: set, Folder: dir}, recording(t))
	s.WaitText("traffic")
	s.Type(":filter t:brew\r")
	s.WaitText("traffic · t:brew")
	s.Type(":save-filter tea time\r")
	inConfig(t, s, dir, "\"tea time\" = \"t:brew\"\n")
	s.Keys("esc", "f", "f2")
	s.WaitText("tea time")
	s.WaitText("lat>100ms")
	s.Type("slow")
	s.Keys("enter")
	s.WaitText("traffic · lat>100ms")
	s.Type(":filters\r")
	s.WaitText("delete removes it")
	s.Type("tea time")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "slow ") })
	s.Keys("delete")
	s.WaitFor(func(string) bool {
		data, _ := os.ReadFile(filepath.Join(dir, "config.toml"))
		return !strings.Contains(string(data), "tea time") && strings.Contains(string(data), "slow")
	})
	s.Keys("esc")
	s.Type(":save-filter \r")
	s.WaitText("a name is missing")
	sane(t, s)
}

// TestSavedLayouts holds that a layout is saved by name and comes back.
func TestSavedLayouts(t *testing.T) {
	set, dir := settings(t, "")
	s := show(t, 120, 40, screen.Options{Settings: set, Folder: dir}, recording(t))
	s.WaitText("╭─ stderr")
	s.Keys("S", "S")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "╭─ stderr") })
	s.Type(":layout save no noise\r")
	inConfig(t, s, dir, "[layouts.\"no noise\"]\n")
	inConfig(t, s, dir, "hide_stderr = true\n")
	s.Type(":layout reset\r")
	s.WaitText("╭─ stderr")
	s.Type(":layout no noise\r")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "╭─ stderr") })
	again, err := config.Load(dir)
	if err != nil || !again.Layouts["no noise"].HideStderr || again.Layouts["no noise"].Main != 56 {
		t.Errorf("%+v, %v", again.Layouts, err)
	}
	s.Type(":layout list\r")
	s.WaitText("detail beside, no stderr")
	s.Keys("esc")
	s.Type(":layout nothing\r")
	s.WaitText("there is no \"nothing\"")
	sane(t, s)
}

// TestColourRules holds that rules colour the rows that they select, by what the list knows
// and by their bodies, at once, and are kept.
func TestColourRules(t *testing.T) {
	set, dir := settings(t, "[[colours]]\nfilter = \"is:error\"\ncolour = \"#010203\"\n")
	s := show(t, 120, 40, screen.Options{Settings: set, Folder: dir}, recording(t))
	s.WaitText("traffic")
	coloured := func(row, colour string) {
		t.Helper()
		s.WaitTerminal(func(term *termtest.Terminal) bool {
			for y, line := range term.Screen() {
				if x := len([]rune(line[:max(0, strings.Index(line, row))])); strings.Contains(line, row) {
					_, look := term.Cell(x, y)
					return strings.Contains(look.String(), colour)
				}
			}
			return false
		})
	}
	coloured("-32602", "#010203")
	s.Type(":colour #0a0b0c b~\"hello t[a-z]ere\"\r")
	coloured("message=\"hello", "#0a0b0c")
	inConfig(t, s, dir, "colour = \"#0a0b0c\"\n")
	s.Type(":colours\r")
	s.WaitText("delete removes one")
	s.Keys("delete")
	s.WaitFor(func(string) bool {
		data, _ := os.ReadFile(filepath.Join(dir, "config.toml"))
		return !strings.Contains(string(data), "#010203") && strings.Contains(string(data), "#0a0b0c")
	})
	s.Keys("esc")
	coloured("message=\"hello", "#0a0b0c")
	s.Type(":colour pink is:error\r")
	s.WaitText("is not a colour")
	s.Type(":colour ok (\r")
	s.WaitText("colour COLOUR FILTER: ")
	sane(t, s)
}
