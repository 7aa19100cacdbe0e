package client

import "testing"

// TestMalformedErrors holds that a malformed error is described by its value.
func TestMalformedErrors(t *testing.T) {
	for raw, want := range map[string]string{
		`{"code":-32603,"message":"no"}`:   "error -32603: no",
		`{"code":0,"message":"no"}`:        "error 0: no",
		`"boom"`:                           `the error is the string "boom"`,
		`["boom"]`:                         `the error is the array ["boom"]`,
		`false`:                            "the error is the value false",
		`{"message":"expired"}`:            "the error's code is absent: expired",
		`{"code":"E_AUTH","message":"no"}`: `the error's code is the string "E_AUTH": no`,
		`{"code":"\u001b[2J` + "\x1b" + `","message":1}`: `the error's code is the string "\\u001b[2J\x1b"`,
	} {
		if got := ParseError([]byte(raw)).Error(); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
	if got := (&VersionError{Asked: "2025-11-25", Offered: []string{""}}).Error(); got != "the server names no protocol version" {
		t.Error(got)
	}
}
