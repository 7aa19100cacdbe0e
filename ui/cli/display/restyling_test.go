package display

import (
	"testing"

	"wiretea/ui/config"
	"wiretea/ui/style"
)

// TestRestyling holds that the list of live sessions has the background of the settings, else
// that of the terminal.
func TestRestyling(t *testing.T) {
	dark, light := style.New("", true, false).Accent, style.New("", false, false).Accent
	if dark == light {
		t.Fatal("the themes do not differ")
	}
	for background, want := range map[string][2]style.Style{"": {dark, light}, "auto": {dark, light}, "dark": {dark, dark}, "light": {light, light}} {
		of := Restyling(config.Settings{Background: background}, false)
		if got := [2]style.Style{of(true).Accent, of(false).Accent}; got != want {
			t.Errorf("background %q: %q on dark, %q on light", background, got[0], got[1])
		}
	}
}
