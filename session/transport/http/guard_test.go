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
