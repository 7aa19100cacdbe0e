package replay

import (
	"errors"
	"testing"
)

// TestAnswers holds which recorded response answers a request.
func TestAnswers(t *testing.T) {
	f := record(t, after(
		"→ "+call("1", "n", `,"arguments":{"a":1}`), `← {"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`,
		"→ "+call("2", "n", `,"arguments":{"a":1}`), `← {"jsonrpc":"2.0","id":2,"result":{"n":2}}`,
		"→ "+call("3", "n", `,"arguments":{"a":2}`), `← {"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`,
		"→ "+call("4", "m", ""))...)
	a, err := ReadAnswers(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		request, want string
		exact         bool
	}{
		{call(`"x"`, "n", `,"arguments":{"a":1}`), `{"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`, true},
		{call("8", "n", `,"arguments":{"a":1}`), `{"jsonrpc":"2.0","id":2,"result":{"n":2}}`, true},
		{call("9", "n", `,"arguments":{"a":1}`), `{"jsonrpc":"2.0","id":2,"result":{"n":2}}`, true},
		{call("9", "n", `,"arguments":{"a":2,"b":3}`), `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`, false},
		{call("9", "m", ""), "", false},
		{call("9", "o", ""), "", false},
		{`{"jsonrpc":"2.0","method":"x"}`, "", false},
		{`{`, "", false},
	} {
		got, exact, err := a.To([]byte(c.request))
		if string(got) != c.want || exact != c.exact || errors.Is(err, ErrNoAnswer) != (c.want == "") {
			t.Errorf("%s: %s, %v, %v", c.request, got, exact, err)
		}
	}
}
