package transport

import (
	"slices"
	"testing"
)

func TestCheckEnv(t *testing.T) {
	vars := []string{"API_KEY=s", "LD_PRELOAD=/x.so", "DYLD_INSERT_LIBRARIES=/y", "LDAP=1", "LD_LIBRARY_PATH=", "PATH=/bin", "NOVALUE", "GCONV_PATH=/z"}
	kept, refused := CheckEnv(vars, true)
	if want := []string{"API_KEY=s", "LDAP=1", "PATH=/bin", "NOVALUE"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q", kept)
	}
	if want := []string{"LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "LD_LIBRARY_PATH", "GCONV_PATH"}; !slices.Equal(refused, want) {
		t.Errorf("refused %q", refused)
	}
	if kept, refused := CheckEnv(vars, false); !slices.Equal(kept, vars) || refused != nil {
		t.Errorf("typed by a person: kept %q, refused %q", kept, refused)
	}
}
