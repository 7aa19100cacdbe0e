package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/ui/config"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// TestGuides holds that somebody who is new has a line of guidance in each pane that has room,
// that it goes once one of its keys is used, and that nobody else has it.
func TestGuides(t *testing.T) {
	model := screen.New(screen.Options{Sources: []source.Source{agent(t)[0]}, Settings: config.Settings{New: true}, Dark: true})
	s := termtest.Run(t, model, 120, 40, termtest.SessionOptions{})
	const traffic, findings = "j moves · enter opens the message · f filters", "enter goes to the message · e explains the rule"
	s.WaitText(traffic)
	s.WaitText(findings)
	s.Keys("tab", "tab")
	s.WaitText(traffic) // Another pane was used only.
	s.Keys("esc")
	s.Keys("j")
	s.WaitFor(func(screen string) bool {
		return !strings.Contains(screen, "j moves") && strings.Contains(screen, findings)
	})
	s.Keys("s")
	s.WaitText("sorts · enter filters by it")
	s.Keys(">")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "filters by it") })
	s.Keys("ctrl+c")
	if _, err := s.WaitEnd(); err != nil {
		t.Fatal(err)
	}
	kept := model.Settings().Guides
	if model.Settings().New || slices.Contains(kept, "traffic") || slices.Contains(kept, "stats") || !slices.Contains(kept, "findings") {
		t.Errorf("kept are %q", kept)
	}
	known := show(t, 120, 40, screen.Options{}, agent(t)[0])
	known.WaitText("─ findings ")
	known.WaitFor(func(screen string) bool {
		return strings.Contains(screen, "forecast") && !strings.Contains(screen, "j moves")
	})
}

// TestGuidesRecording holds that guidance promises no call where nothing can be sent.
func TestGuidesRecording(t *testing.T) {
	for name, src := range map[string]source.Source{"": recording(t), "c calls a tool": running(t)} {
		s := show(t, 120, 40, screen.Options{Settings: config.Settings{New: true}}, src)
		s.WaitText("j moves")
		s.Keys("T")
		s.WaitText("/ filters")
		if got := s.Screen(); strings.Contains(got, "c calls a tool") != (name != "") {
			t.Errorf("guidance is wrong:\n%s", got)
		}
	}
}

// TestGuidesFull holds that guidance covers nothing: a pane whose lines are all used has none.
func TestGuidesFull(t *testing.T) {
	s := show(t, 80, 24, screen.Options{Settings: config.Settings{New: true}}, sourceOf(calls(t, 0, "many", many(40)...), "many"))
	s.WaitText("many 39")
	if strings.Contains(s.Screen(), "j moves") {
		t.Errorf("a full list has guidance:\n%s", s.Screen())
	}
}

// many are times of calls.
func many(n int) (at []float64) {
	for i := range n {
		at = append(at, float64(100*(i+1)))
	}
	return at
}

// TestGuidesGoldens holds how guidance looks.
func TestGuidesGoldens(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		for name, opt := range map[string]screen.Options{"dark": {}, "plain": {NoColour: true}} {
			t.Run(fmt.Sprintf("guides-%dx%d-%s", size[0], size[1], name), func(t *testing.T) {
				opt.Settings = config.Settings{New: true}
				s := show(t, size[0], size[1], opt, agent(t)[1])
				s.WaitText("read_file")
				s.WaitText("shows the next tab")
				s.Golden(t.Name())
			})
		}
	}
}
