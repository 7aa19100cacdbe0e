package http

import (
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
)

// At most maxNotices are written in noticeTime: any client of the proxy can cause them.
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

// notice writes a line on a request that the proxy answers in place of the server.
func (f *forward) notice(status int, why string) {
	n := &f.p.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.begun) >= noticeTime {
		n.begun, n.count = time.Now(), 0
	}
	if n.count++; f.p.inner || n.count > maxNotices {
		return
	}
	path, _, _ := strings.Cut(f.r.RequestURI, "?")
	if secret := f.p.router.secret; secret != "" {
		path = strings.ReplaceAll(path, secret, "") // Others may read the terminal.
	}
	line := fmt.Sprintf("wiretea: %s %.80s was answered %d: %s", f.r.Method, path, status, why)
	if n.count == maxNotices {
		line += "; what follows in the next seconds is in the recording only"
	}
	f.p.server.ErrorLog.Print(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, line))
}
