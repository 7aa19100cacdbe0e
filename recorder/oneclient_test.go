package recorder

import (
	"testing"
	"time"

	"wiretea/session"
)

func TestOneClient(t *testing.T) {
	at := func(ppid int, after time.Duration) *session.Header {
		return &session.Header{PPID: ppid, T0: t0.Add(after), Mode: "tee"}
	}
	for name, c := range map[string]struct {
		headers []*session.Header
		want    bool
	}{
		"three servers of one client":               {[]*session.Header{at(7, 0), at(7, time.Second), at(7, 40*time.Second)}, true},
		"in any order":                              {[]*session.Header{at(7, 90*time.Second), at(7, 0), at(7, 45*time.Second)}, true},
		"two clients":                               {[]*session.Header{at(7, 0), at(8, 0)}, false},
		"a process of the same number, a day later": {[]*session.Header{at(7, 0), at(7, 24*time.Hour)}, false},
		"orphans":                                   {[]*session.Header{at(1, 0), at(1, 0)}, false},
		"one alone":                                 {[]*session.Header{at(7, 0)}, false},
		"none":                                      {nil, false},
		"one that says nothing":                     {[]*session.Header{at(7, 0), nil}, false},
		"one that began in no year":                 {[]*session.Header{at(7, 0), {PPID: 7, Mode: "tee"}}, false},
		"a run beside a tee":                        {[]*session.Header{at(7, 0), {PPID: 7, Mode: "run", T0: t0}}, false},
	} {
		if got := OneClient(c.headers); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
