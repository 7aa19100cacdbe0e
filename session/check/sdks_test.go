package check

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSDKs judges recorded conversations of the official SDKs in which nothing is
// wrong: they may bring information, and neither a warning nor an error.
func TestSDKs(t *testing.T) {
	for _, file := range glob(t, "sdks") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for _, got := range runConversation(t, file) {
				if severity := strings.Fields(got)[1]; severity != "info" {
					t.Errorf("a conversation of real SDKs brings %s", got)
				}
			}
		})
	}
}
