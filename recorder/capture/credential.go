package capture

import (
	"crypto/rand"

	"wiretea/recorder"
)

// CredentialKey returns the key of this machine by which recordings hash credentials, so
// that equal ones look equal in all of them. It is made when it is first wanted. Where it
// cannot be kept it is a new one for this process.
func CredentialKey() []byte {
	if key, ok := recorder.MachineKey("credential.key"); ok {
		return key
	}
	fresh := make([]byte, recorder.KeySize)
	rand.Read(fresh) // never fails: crypto/rand ends the program instead
	return fresh
}
