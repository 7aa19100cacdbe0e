package viewer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"wiretea/recorder/inventory"
	"wiretea/ui/home"
)

// opens returns an Opener whose recordings note what is done with them.
func opens(did *[]string) *Opener {
	var mu sync.Mutex
	note := func(what string) {
		mu.Lock()
		*did = append(*did, what)
		mu.Unlock()
	}
	open := func(path string) (*Opened, error) {
		if path == "broken" {
			return nil, errors.New("it is broken")
		}
		note("open " + path)
		return &Opened{Close: func(context.Context) []string {
			note("close " + path)
			return []string{"left " + path, "recorded: /s/" + path + ".mcpcap.jsonl"}
		}}, nil
	}
	return &Opener{
		Recording: open, Attach: open,
		Run: func(inventory.Command) (*Opened, error) {
			o, err := open("run")
			o.Begin = func(ctx context.Context) error { <-ctx.Done(); note("ended run"); return ctx.Err() }
			return o, err
		},
		Demo: func() (*Opened, error) { return nil, errors.New("no demo") },
	}
}

// TestOpener opens and leaves sessions: each is closed once, what it does by itself ends
// before Close returns, and nothing is opened after the end.
func TestOpener(t *testing.T) {
	var did []string
	var warned strings.Builder
	d := opens(&did)
	d.Warn = &warned
	a, err := d.Open(t.Context(), home.Open{Path: "a"})
	if err != nil || a.Begin != nil {
		t.Fatal(a, err)
	}
	if got := a.Close(); got != "left a · recorded as a" || a.Close() != got {
		t.Errorf("got %q", got)
	}
	run, err := d.Open(t.Context(), home.Run{})
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan error)
	go func() { begun <- run.Begin(t.Context()) }()
	if _, err := d.Open(t.Context(), home.Client{Sessions: []home.Ask{home.Attach{Path: "b"}, home.Open{Path: "broken"}}}); err != nil {
		t.Fatal(err)
	}
	for _, what := range []home.Ask{home.Demo{}, home.Open{Path: "broken"}, home.Client{Sessions: []home.Ask{home.Open{Path: "broken"}}}} {
		if v, err := d.Open(t.Context(), what); err == nil {
			t.Errorf("%T: %+v", what, v)
		}
	}
	lines := d.End(t.Context())
	if err := <-begun; err != nil {
		t.Errorf("what was ended has failed: %v", err)
	}
	if want := []string{"left run", "recorded: /s/run.mcpcap.jsonl", "left b", "recorded: /s/b.mcpcap.jsonl"}; !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
	if _, err := d.Open(t.Context(), home.Open{Path: "c"}); !errors.Is(err, errOver) {
		t.Errorf("after the end: %v", err)
	}
	did = slices.DeleteFunc(did, func(what string) bool { return what == "ended run" }) // It comes before or after the close.
	if want := []string{"open a", "close a", "open run", "open b", "close run", "close b", "open c", "close c"}; !slices.Equal(did, want) {
		t.Errorf("got %q", did)
	}
	if got := warned.String(); strings.Count(got, "broken is left out: it is broken\n") != 2 {
		t.Errorf("warned %q", got)
	}
}
