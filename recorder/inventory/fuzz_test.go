package inventory

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/session/clientconfig"
)

// FuzzProxyState checks that no file brings down what reads it as the state of the
// proxy.
func FuzzProxyState(f *testing.F) {
	place := clientconfig.Place{Home: f.TempDir(), OS: "linux"}
	path := proxyStatePath(place)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"port":20001,"files":[{"client":"cursor","path":"/no/such/file"}]}`))
	f.Add([]byte(`{"port":-1,"files":[{"client":"\u0000","path":"` + "/dev/null" + `"},null]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := readProxyState(place); err != nil || len(s.Files) > 0 && filepath.IsAbs(s.Files[0].Path) && s.Files[0].Path != "/no/such/file" {
			return // It may name any file of this machine.
		}
		_, _ = Detours(place)
		if port, err := proxyPort(place); err == nil && (port < 0 || port > 1<<16-1) {
			t.Errorf("the proxy's port is %d", port)
		}
	})
}
