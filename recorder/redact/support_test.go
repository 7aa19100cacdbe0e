package redact_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
)

const header = `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2026-11-20T10:00:00Z"}` + "\n"

// sessionOf is a session of one message of the client's.
func sessionOf(t *testing.T, body string) []byte {
	t.Helper()
	return []byte(header + `{"k":"f","n":1,"t":1,"d":"c2s","len":` + lenOf(body) + `,"b":` + body + "}\n")
}

func lenOf(s string) string { return fmt.Sprint(len(s)) }

func compile(t *testing.T, patterns ...string) (all []*regexp.Regexp) {
	t.Helper()
	for _, p := range patterns {
		all = append(all, regexp.MustCompile(p))
	}
	return all
}

// bodyOf is the body of the last frame of a file.
func bodyOf(t *testing.T, file []byte) []byte {
	t.Helper()
	all := bodiesOf(t, file)
	return []byte(all[len(all)-1])
}

// bodiesOf are the bodies of the frames of a file.
func bodiesOf(t *testing.T, file []byte) (all []string) {
	t.Helper()
	r := recorder.NewReader(logOf(t, file), 0)
	var rec session.Record
	for r.Next(&rec) == nil {
		if rec.Kind == session.RecFrame {
			all = append(all, string(rec.Body))
		}
	}
	if r.Damage().Lines > 0 {
		t.Errorf("damaged: %v", r.Damage())
	}
	return all
}

// logOf is a log of given bytes.
func logOf(t *testing.T, file []byte) recorder.Log {
	t.Helper()
	return fileLog{bytes.NewReader(file)}
}

// A fileLog is a log that has ended.
type fileLog struct{ *bytes.Reader }

func (fileLog) Wait(context.Context, int64) error { return recorder.ErrFinished }
