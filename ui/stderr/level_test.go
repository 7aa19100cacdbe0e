package stderr

import (
	"testing"

	"wiretea/session"
)

func TestLevel(t *testing.T) {
	for line, want := range map[string]session.Severity{
		"":                                   session.NoSeverity,
		"listening on stdio":                 session.NoSeverity,
		"0 errors, no error":                 session.NoSeverity,
		"2026-11-20 10:00:00 ERROR failed":   session.Error,
		"INFO retried after an ERROR":        session.NoSeverity,
		"error: no such file":                session.Error,
		"npm warn deprecated inflight":       session.NoSeverity,
		"[WARN] slow":                        session.Warning,
		"(node:12) Warning: experimental":    session.Warning,
		`time=1 level=error msg="x"`:         session.Error,
		`{"level":"warn","msg":"x"}`:         session.Warning,
		`{"msg":"error"}`:                    session.Error,
		"panic: runtime error":               session.Error,
		"thread 'main' panicked at src/x.rs": session.Error,
		"Traceback (most recent call last):": session.Error,
		"KeyError: 'x'":                      session.Error,
		"java.lang.NullPointerException: x":  session.Error,
		"the warning is about an error":      session.NoSeverity,
		"WARN":                               session.Warning,
		"\xff\xfe\x00":                       session.NoSeverity,
	} {
		if got := level([]byte(line)); got != want {
			t.Errorf("level(%q) = %v, want %v", line, got, want)
		}
	}
}
