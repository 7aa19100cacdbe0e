package http

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// A token is the bearer token of a Remote.
type token struct {
	get func(ctx context.Context) (string, error)

	mu    sync.Mutex // mu is held while it is fetched.
	value string
	have  bool
}

// bearer returns the token; empty if there is none. refused is the one that was refused
// by 401, where it is not empty: another one is fetched in its place, unless that was
// done.
func (t *token) bearer(ctx context.Context, refused string) (string, error) {
	if t.get == nil {
		return "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.have && (refused == "" || t.value != refused) {
		return t.value, nil
	}
	value, err := t.get(ctx)
	if err != nil {
		return "", fmt.Errorf("getting the token: %w", err)
	}
	value = strings.TrimSpace(value)
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("getting the token: it is empty, or has characters that no token has")
	}
	t.value, t.have = value, true
	return value, nil
}
