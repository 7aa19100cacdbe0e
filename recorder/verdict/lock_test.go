package verdict

import (
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{`{"a":1,"b":{"c":[1,2]}}`, `{"b":{"c":[1,2]},"a":1}`, ""},
		{`{"a":1}`, `{"a":1.0}`, "a"},
		{`{"inputSchema":{"properties":{"x":{"type":"string"}}}}`, `{"inputSchema":{"properties":{"x":{"type":"number"},"y":{}}}}`, "inputSchema.properties.x.type, inputSchema.properties.y"},
		{`{"a":{}}`, `{"a":[]}`, "a"},
		{`{}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`, "a, b, c, d, and 2 more"},
	} {
		if got := strings.Join(differences([]byte(tt.a), []byte(tt.b)), ", "); got != tt.want {
			t.Errorf("%s and %s: got %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}
