package call

import (
	"encoding/json"
	"fmt"
	"strings"

	wholeschema "wiretea/session/json/schema"
)

// validate says how a value does not fit the whole schema, empty where it fits,
// and where the schema cannot be used: it is the server's, and the server will
// say what it thinks.
func (s schema) validate(value json.RawMessage) (fault string) {
	whole, err := wholeschema.Compile(s.text)
	if err != nil {
		return ""
	}
	wrong, _, err := whole.Validate(value, 0)
	if wrong == nil || err != nil {
		return ""
	}
	if len(wrong.Path) == 0 {
		return "the arguments do not fit the schema: " + wrong.Text
	}
	return fmt.Sprintf("the arguments do not fit the schema: %s %s", strings.Join(wrong.Path, "."), wrong.Text)
}
