package http

import (
	"net/url"
	"testing"
)

// TestGuardPlace checks that a URL is recorded without what may be secret.
func TestGuardPlace(t *testing.T) {
	for text, want := range map[string]string{
		"https://u:hunter2@h:1/a%2Fb?key=hunter2&b=&flag&c=hunter2#hunter2": "https://h:1/a%2Fb?key=&b=&…&c=",
		"https://hunter2@h/": "https://h/",
		"http://h":           "http://h",
		"http://h/?hunter2":  "http://h/?…",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Place(u); got != want {
			t.Errorf("%s is recorded as %s, want %s", text, got, want)
		}
	}
}
