package offers

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
)

// TestUnknownRequired generates schemas: the name that is reported is the first that
// is required and is no property, and there is none where the schema is open.
func TestUnknownRequired(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	names := []string{"a", "A", "b", "c", "ü", "a b", "required", "properties"}
	some := func() (some []string) {
		for _, n := range names {
			if r.IntN(2) == 0 {
				some = append(some, n)
			}
		}
		return some
	}
	for range 5000 {
		schema := map[string]any{"type": "object", "title": "T"}
		properties := map[string]any{}
		for _, name := range some() {
			properties[name] = map[string]any{"type": "string", "required": []string{"inner"}}
		}
		if len(properties) > 0 || r.IntN(2) == 0 {
			schema["properties"] = properties
		}
		want := ""
		required := some()
		for _, name := range required {
			if properties[name] == nil && want == "" {
				want = name
			}
		}
		if required != nil {
			schema["required"] = required
		}
		switch r.IntN(6) {
		case 0:
			schema["additionalProperties"] = false
		case 1:
			schema["additionalProperties"], want = map[string]any{}, ""
		case 2:
			schema[openers[r.IntN(len(openers))]], want = []any{}, ""
		}
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := unknownRequired(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{``, `[]`, `{"required":["a"],"properties":[]}`, `{"required":true}`, `{"required":[1,null]}`, `{"required":"a"}`} {
		if got, ok := unknownRequired([]byte(text)); ok {
			t.Errorf("%s: %q", text, got)
		}
	}
}
