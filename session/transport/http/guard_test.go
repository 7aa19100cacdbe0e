package http

import "testing"

// TestGuardHash checks that hashes of credentials cannot be made without the key: with
// them alone, guesses could be tried.
func TestGuardHash(t *testing.T) {
	one, other := Log{Key: []byte("one")}, Log{Key: []byte("other")}
	if h := one.hash("token"); h == other.hash("token") || h != one.hash("token") || h == one.hash("token2") {
		t.Errorf("%s and %s are the hashes of a token with two keys", h, other.hash("token"))
	}
}

// TestGuardNamed checks that nothing is kept of the value of a header field that the
// user calls secret, whatever its name says.
func TestGuardNamed(t *testing.T) {
	l := Log{Key: []byte("key"), Secret: []string{"X-Tea"}}
	if f := l.field("X-Tea", "hunter2"); f.Value != "" || f.Secret == nil || f.Secret.Len != 7 {
		t.Errorf("%+v, %+v", f, f.Secret)
	}
	if f := l.field("X-Other", "green"); f.Value != "green" || f.Secret != nil {
		t.Errorf("%+v, %+v", f, f.Secret)
	}
}
