package capture

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"wiretea/recorder"
)

func TestCredentialKey(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	key := CredentialKey()
	if len(key) != recorder.KeySize || !bytes.Equal(CredentialKey(), key) {
		t.Errorf("%d bytes, and the next call returns others", len(key))
	}
	info, err := os.Stat(filepath.Join(home, ".local", "state", "wiretea", "credential.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	t.Setenv("HOME", filepath.Join(home, ".local", "state", "wiretea", "credential.key"))
	if other := CredentialKey(); len(other) != recorder.KeySize || bytes.Equal(other, key) {
		t.Error("no key of its own where none can be kept")
	}
}
