package capture

import (
	"slices"
	"testing"
)

// TestGuardEnvironment checks that of variables of the environment only the names are
// kept.
func TestGuardEnvironment(t *testing.T) {
	got := EnvNames([]string{"B=hunter2", "A=x=hunter2", "C", "A=", "D=hunter2\nE=hunter2"})
	if want := []string{"A", "B", "C", "D"}; !slices.Equal(got, want) {
		t.Errorf("the names are %q, want %q", got, want)
	}
}
