package capture

import "testing"

func TestIsInitialize(t *testing.T) {
	for body, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`:           true,
		`{"jsonrpc":"2.0","id":1,"method":"\u0069nitialize","params":{}}`:      true,
		`[{"jsonrpc":"2.0","id":1,"method":"initialize"}]`:                     true,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                             false,
		`{"jsonrpc":"2.0","method":"initialize"}`:                              false,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"initialize"}}`: false,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\u0069"}}`:     false,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:               false,
		"not JSON": false,
	} {
		if got := isInitialize([]byte(body)); got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}
