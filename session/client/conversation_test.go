package client

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestConversation sends lines in the three ways: each is on its way after a second and
// answered after two.
func TestConversation(t *testing.T) {
	lines := []string{"a", "b", "c"}
	for name, tt := range map[string]struct {
		talk func(ctx context.Context, c *Conversation)
		want []int // want are the seconds at which the lines are sent, and at which all is over.
	}{
		"each": {func(ctx context.Context, c *Conversation) { c.Each(ctx, lines) }, []int{0, 2, 4, 6}},
		"stream": {func(ctx context.Context, c *Conversation) {
			c.Stream(ctx, ReadLines(ctx, strings.NewReader("a\nb\nc"), nil))
		}, []int{0, 1, 2, 4}},
		"paced": {func(ctx context.Context, c *Conversation) { c.Paced(ctx, lines, 5*time.Second) }, []int{0, 5, 10, 12}},
		"cancelled": {func(ctx context.Context, c *Conversation) {
			ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			c.Each(ctx, lines)
		}, []int{0, 2, 4}},
		"disconnected": {func(ctx context.Context, c *Conversation) {
			done := make(chan struct{})
			time.AfterFunc(7*time.Second, func() { close(done) })
			c.Done = done
			c.Paced(ctx, lines, 5*time.Second)
		}, []int{0, 5, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var mu sync.Mutex
				var text string
				var at []int
				now := func() { at = append(at, int(time.Since(begun)/time.Second)) }
				c := &Conversation{Send: func(ctx context.Context, line string) {
					mu.Lock()
					text += line
					now()
					mu.Unlock()
					time.Sleep(time.Second)
					if sent, ok := ctx.Value(sentKey{}).(func()); ok {
						sent()
					}
					time.Sleep(time.Second)
				}}
				tt.talk(t.Context(), c)
				if now(); !slices.Equal(at, tt.want) || !strings.HasPrefix("abc", text) {
					t.Errorf("sent %q at %v, want %v", text, at, tt.want)
				}
			})
		})
	}
}

func TestReadLines(t *testing.T) {
	var failed error
	long := strings.NewReader("a\n" + strings.Repeat("b", LongestLine+1))
	var got []string
	for line := range ReadLines(t.Context(), long, func(err error) { failed = err }) {
		got = append(got, line)
	}
	if !slices.Equal(got, []string{"a"}) || !errors.Is(failed, bufio.ErrTooLong) {
		t.Errorf("%d lines, %v", len(got), failed)
	}
}
