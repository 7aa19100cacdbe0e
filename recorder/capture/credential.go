package capture

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wiretea/recorder"
	"wiretea/session/atomicfile"
)

// keySize is the length of the key of credentials, in bytes.
const keySize = 32

// CredentialKey returns the key of this machine by which recordings hash credentials, so
// that equal ones look equal in all of them. It is made when it is first wanted, in the
// folder of the sessions folder, for the user alone. Where that cannot be written it is a
// new one for this process.
func CredentialKey() []byte {
	fresh := make([]byte, keySize)
	rand.Read(fresh) // never fails: crypto/rand ends the program instead
	folder, err := recorder.SessionsFolder("")
	if err != nil {
		return fresh
	}
	path := filepath.Join(filepath.Dir(folder), "credential.key")
	key, err := os.ReadFile(path)
	if err == nil && len(key) == keySize {
		return key
	}
	if !errors.Is(err, fs.ErrNotExist) || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return fresh
	}
	if atomicfile.WriteBytes(path, atomicfile.Options{Mode: 0o600, New: true, NoSync: true}, fresh) == nil {
		return fresh
	}
	if key, err = os.ReadFile(path); err == nil && len(key) == keySize {
		return key // another process was first
	}
	return fresh
}
