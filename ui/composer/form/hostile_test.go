package form

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// patience is how long anything may take that a schema of a few megabytes is
// behind. A machine that is busy with other things has time enough; what grows
// without bounds does not.
const patience = 60 * time.Second

// TestHostile holds that schemas that are large, deep, or refer to themselves
// cost neither time nor the form.
func TestHostile(t *testing.T) {
	for name, schema := range hostile(1500) {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			f := form(t, Config{Title: "t", Schema: []byte(schema)})
			for _, key := range strings.Fields("enter enter tab enter ctrl+t down enter ctrl+end pgup ctrl+n pgdown x ctrl+home ctrl+o pgdown x backspace ctrl+o") {
				drive(t, f, keyNamed(key))
				text := screen(t, f, 100, 30)
				if strings.ContainsAny(ansi.Strip(text), "\x1b\x07") {
					t.Fatalf("%q reaches the screen", text)
				}
			}
			if took := time.Since(began); took > patience {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestBigValues holds the same for values.
func TestBigValues(t *testing.T) {
	for name, values := range map[string]string{
		"items":  `{"l":[` + strings.Repeat(`"x",`, 30_000) + `1]}`,
		"string": `{"s":"` + strings.Repeat(`\u001b x`, 1<<16) + `"}`,
		"deep":   strings.Repeat(`{"a":[`, 4000) + strings.Repeat(`]}`, 4000),
		"wide":   `{"o":{` + strings.Repeat(`"k":1,`, 30_000) + `"k":2}}`,
		"number": `{"n":` + strings.Repeat("9", 1<<18) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			f := formOf(t, `{"type":"object","properties":{"l":{"type":"array","uniqueItems":true,"items":{"type":"string"}},"s":{"type":"string"},"n":{"type":"number","multipleOf":0.1,"minimum":3},"o":{"type":"object","additionalProperties":{"type":"string"}}}}`, values)
			if got := string(f.Values()); got != values {
				t.Errorf("%d bytes became %d", len(values), len(got))
			}
			for _, key := range strings.Fields("tab enter x ctrl+end pgup ctrl+home ctrl+o pgdown pgdown x backspace ctrl+end x backspace ctrl+o") {
				drive(t, f, keyNamed(key))
				screen(t, f, 100, 30)
			}
			if took := time.Since(began); took > patience {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestShapesTogether holds that many references to something large do not make it
// as often, and that patterns of a few bytes are not compiled without end.
func TestShapesTogether(t *testing.T) {
	const n = 2000
	var props, refs, patterns strings.Builder
	for i := range n {
		fmt.Fprintf(&props, `,"p%d":{"type":"string"}`, i)
		fmt.Fprintf(&refs, `,"r%d":{"$ref":"#/$defs/large","minProperties":0}`, i)
		fmt.Fprintf(&patterns, `,"p%d":{"type":"string","pattern":"^a{0,900}b%d$","default":"x"}`, i, i)
	}
	f := New(Config{Schema: []byte(`{"type":"object","properties":{` + refs.String()[1:] + `},"$defs":{"large":{"type":"object","properties":{` + props.String()[1:] + `}}}}`)})
	all := 0
	for _, kid := range f.root.kids {
		all += len(kid.shape.props)
	}
	if first := f.root.kids[0]; len(f.root.kids) != n || len(first.shape.props) != n || all > maxParts {
		t.Errorf("%d fields have %d members together, the first %d", len(f.root.kids), all, len(first.shape.props))
	}

	f = form(t, Config{Schema: []byte(`{"type":"object","properties":{` + patterns.String()[1:] + `}}`)})
	problems := f.Problems()
	if len(problems) == 0 || problems[0].Path[0] != "p0" || len(problems) > n/2 || f.checks.note == "" {
		t.Errorf("%d problems, %s: %.200v", len(problems), f.checks.note, problems)
	}
}

// What a key, a view and a check cost in a form of 10,000 objects.
func BenchmarkWide(b *testing.B) {
	schema := []byte(hostile(10_000)["wide"])
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			New(Config{Schema: schema})
		}
	})
	f := form(b, Config{Schema: schema})
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			f.View(colourless, 100, 30, true)
		}
	})
	b.Run("key", func(b *testing.B) {
		for b.Loop() {
			f.Update(keyNamed("tab"))
		}
	})
	b.Run("typed", func(b *testing.B) {
		drive(b, f, keyNamed("enter"))
		for b.Loop() {
			f.checks.busy = false
			f.Update(keyNamed("ctrl+n"))
		}
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			run(b, f, f.check())
		}
	})
}
