package report

import "testing"

// TestEscape holds that text from a server stays text in each format.
func TestEscape(t *testing.T) {
	if text := xmlText("a\x00\x1bb\ufffe\xff\U0001f375\n"); text != "a\ufffd\ufffdb\ufffd\ufffd\U0001f375\n" {
		t.Errorf("got %q", text)
	}
	for in, want := range map[string]string{"::error::x": "'::error::x", "a::b": "a::b", " ##[error]": "' ##[error]"} {
		if got := logText(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := propertyText("a:b,c%\n"); got != "a%3Ab%2Cc%25%0A" {
		t.Errorf("got %q", got)
	}
}
