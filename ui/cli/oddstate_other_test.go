//go:build unix && !linux

package cli

import "testing"

type useWatch struct{}

func watchUses(*testing.T, string) *useWatch { return &useWatch{} }

// since returns nil: the system does not tell.
func (*useWatch) since() map[string]bool { return nil }
