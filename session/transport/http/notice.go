package http

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
)

// In noticeTime at most maxNotices are written: whoever reaches the proxy can cause them.
const (
	maxNotices = 5
	noticeTime = 10 * time.Second
)

// notices count the lines on what the proxy answers itself.
type notices struct {
	mu    sync.Mutex
	begun time.Time
	count int
}

// take reports whether one more line may be written, and whether it is the last one for some time.
func (n *notices) take() (ok, last bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.begun) >= noticeTime {
		n.begun, n.count = time.Now(), 0
	}
	n.count++
	return n.count <= maxNotices, n.count == maxNotices
}

// notice writes a line on a request that the proxy answers in place of the server.
func (f *forward) notice(status int, why string) {
	if f.p.inner {
		return
	}
	ok, last := f.p.notices.take()
	if !ok {
		return
	}
	path, _, _ := strings.Cut(f.r.RequestURI, "?")
	if secret := f.p.router.secret; secret != "" {
		path = strings.ReplaceAll(path, secret, "") // Others may read the terminal.
	}
	line := fmt.Sprintf("%s %.80s was answered %d: %s", f.r.Method, path, status, why)
	if last {
		line += "; what follows in the next seconds is in the recording only"
	}
	f.p.server.ErrorLog.Printf("wiretea: %s", strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, line))
}
