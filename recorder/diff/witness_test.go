package diff

import (
	"slices"
	"testing"
)

// TestPeopleTakeTime holds that a call during which the server asked somebody says
// nothing of its speed, and that those before and after it do.
func TestPeopleTakeTime(t *testing.T) {
	log := recordText(t, `
		c> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"before"}}
		s> {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
		c> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"asks"}}
		c> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"waits"}}
		s> {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}
		c> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"behind"}}
		s> {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
		s> {"jsonrpc":"2.0","id":4,"result":{"content":[]}}
		c> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"twice"}}
		s> {"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}
		s> {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
		s> {"jsonrpc":"2.0","id":5,"result":{"content":[]}}
		c> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"after"}}
		s> {"jsonrpc":"2.0","id":6,"result":{"content":[]}}`)
	side, err := Read(t.Context(), log, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for g := range side.samples() {
		got = append(got, g.target)
	}
	slices.Sort(got)
	if want := []string{"after", "before", "behind"}; !slices.Equal(got, want) {
		t.Errorf("the calls that count are %q, want %q", got, want)
	}
}
