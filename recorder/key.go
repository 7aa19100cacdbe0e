package recorder

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wiretea/session/atomicfile"
)

// KeySize is the length of the keys of this machine, in bytes.
const KeySize = 32

// MachineKey returns the key of that name of this user on this machine, which lies beside
// the sessions folder, for the user alone. It is made if there is none. MachineKey reports
// false where it cannot be kept.
func MachineKey(name string) ([]byte, bool) {
	folder, err := SessionsFolder("")
	if err != nil {
		return nil, false
	}
	path := filepath.Join(filepath.Dir(folder), name)
	read := func() ([]byte, error) {
		key, err := atomicfile.Read(path, KeySize)
		if err == nil && len(key) != KeySize {
			err = errors.New("it does not hold a key")
		}
		return key, err
	}
	key, err := read()
	if err == nil {
		return key, true
	}
	if !errors.Is(err, fs.ErrNotExist) || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return nil, false
	}
	fresh := make([]byte, KeySize)
	rand.Read(fresh) // never fails: crypto/rand ends the program instead
	if atomicfile.WriteBytes(path, atomicfile.Options{New: true, NoSync: true}, fresh) == nil {
		return fresh, true
	}
	key, err = read() // Another process may have been first.
	return key, err == nil
}
