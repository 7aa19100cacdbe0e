package demo

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCatalogue(t *testing.T) {
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	seen := make(map[string]bool)
	for _, b := range Names() {
		if !name.MatchString(b.Name) || seen[b.Name] || b.Name == sleeperName || b.Name == floodName {
			t.Errorf("%q is not a name, or taken", b.Name)
		}
		seen[b.Name] = true
		if b.Title == "" {
			t.Errorf("%s has no title", b.Name)
		}
		for _, rule := range b.Shows {
			if !name.MatchString(rule) {
				t.Errorf("%s shows %q, which is not a rule id", b.Name, rule)
			}
		}
		if got, ok := Lookup(b.Name); !ok || got.Title != b.Title {
			t.Errorf("Lookup(%q) = %q, %v", b.Name, got.Title, ok)
		}
	}
	if _, ok := Lookup(sleeperName); !ok {
		t.Error("the child of orphan-process cannot be started")
	}
	if b, ok := Lookup(floodName); !ok || !b.Healthy() {
		t.Error("there is nothing to measure with")
	}
	if first := Names()[0]; first.Name != "healthy" || !first.Healthy() {
		t.Errorf("the first behaviour is %s", first.Name)
	}
}

func TestTour(t *testing.T) {
	for _, c := range []struct {
		name   string
		scenes []Scene
		want   int
		on     func(*Behaviour) bool
	}{
		{"stdio", Tour(), strings.Count(tour, "\nstdio "), (*Behaviour).OverStdio},
		{"http", TourHTTP(), strings.Count(tour, "\nhttp "), (*Behaviour).OverHTTP},
	} {
		t.Run(c.name, func(t *testing.T) { checkTour(t, c.scenes, c.want, c.on) })
	}
}

func checkTour(t *testing.T, scenes []Scene, want int, on func(*Behaviour) bool) {
	if len(scenes) != want || want < 10 {
		t.Fatalf("%d scenes of %d", len(scenes), want)
	}
	var shown []string
	for i, s := range scenes {
		b, ok := Lookup(s.Name)
		if !ok || s.Says == "" || !on(&b) || slices.Contains(shown, s.Name) {
			t.Errorf("scene %d: %s: unknown, silent or repeated", i, s.Name)
		}
		if !slices.Equal(s.Calls, b.Calls) || s.Patience != b.Patience || s.Linger != b.Linger {
			t.Errorf("scene %s is not played as its behaviour wants it", s.Name)
		}
		shown = append(shown, s.Name)
	}
	if shown[0] != "healthy" {
		t.Errorf("the tour begins with %s", shown[0])
	}
}

func TestUnknownName(t *testing.T) {
	var said stringWriter
	if code := Serve(t.Context(), "no-such", nil, nil, &said); code != 2 || said == "" {
		t.Errorf("exit code %d, said %q", code, said)
	}
}

type stringWriter string

func (w *stringWriter) Write(b []byte) (int, error) {
	*w += stringWriter(b)
	return len(b), nil
}
