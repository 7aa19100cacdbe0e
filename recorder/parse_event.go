package recorder

import (
	"time"

	"wiretea/session"
)

// number reads an integer; what is none is 0.
func number(v []byte) int64 {
	n, _ := asInt(v)
	return n
}

// asTime reads a wall time; what is none is zero.
func asTime(v []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, asText(v))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func setIO(ev *session.IOEvent, key string, v []byte) {
	switch key {
	case "ev":
		ev.Event = asText(v)
	case "side":
		ev.Side = asText(v)
	case "bytes":
		ev.Bytes = number(v)
	}
}

func setProc(p *session.Proc, key string, v []byte) {
	switch key {
	case "ev":
		p.Event = asText(v)
	case "pid":
		p.PID = int(number(v))
	case "fds":
		p.FDs = asTexts(v)
	case "code":
		p.Code = int(number(v))
	case "sig":
		p.Signal = asText(v)
	case "by":
		p.By = asText(v)
	case "pids":
		each(v, func(v []byte) { p.PIDs = append(p.PIDs, int(number(v))) })
	case "err":
		p.Err = asText(v)
	}
}

func setGap(g *session.Gap, key string, v []byte) {
	switch key {
	case "bytes":
		g.Bytes = number(v)
	case "frames":
		g.Frames = number(v)
	case "why":
		g.Why = asText(v)
	}
}

func setEnd(e *session.End, key string, v []byte) {
	switch key {
	case "frames":
		e.Frames = number(v)
	case "bytes":
		e.Bytes = number(v)
	case "lost":
		e.Lost = number(v)
	case "why":
		e.Why = asText(v)
	}
}

// parseHeader reads the header's line. Fields of the wrong type are left zero;
// whether it is a header that we can read is checkHeader's business.
func parseHeader(line []byte) *session.Header {
	h := &session.Header{}
	walk(line, func(key, v []byte) bool {
		switch string(key) {
		case "fmt":
			h.Format = asText(v)
		case "v":
			h.Version = int(number(v))
		case "minv":
			h.MinVer = int(number(v))
		case "sid":
			h.SID = asText(v)
		case "tool":
			h.Tool = asText(v)
		case "t0":
			h.T0 = asTime(v)
		case "mode":
			h.Mode = asText(v)
		case "tr":
			h.Trans = asText(v)
		case "cmd":
			h.Cmd = asTexts(v)
		case "name":
			h.Name = asText(v)
		case "cwd":
			h.Cwd = asText(v)
		case "envk":
			h.EnvKeys = asTexts(v)
		case "as":
			h.As = asTexts(v)
		case "ppid":
			h.PPID = int(number(v))
		case "sock":
			h.Sock = asText(v)
		case "part":
			h.Part = int(number(v))
		case "lim":
			h.Limits = parseLimits(v)
		}
		return true
	})
	return h
}

func parseLimits(p []byte) (l session.Limits) {
	walk(p, func(key, v []byte) bool {
		switch string(key) {
		case "timeout":
			l.Timeout = time.Duration(number(v))
		case "timeouts":
			walk(v, func(method, v []byte) bool {
				if l.Timeouts == nil {
					l.Timeouts = map[string]time.Duration{}
				}
				name, _ := unescape(nil, method)
				l.Timeouts[string(name)] = time.Duration(number(v))
				return true
			})
		case "maxline":
			l.MaxLine = number(v)
		case "lines":
			each(v, func(v []byte) { l.Lines = append(l.Lines, number(v)) })
		}
		return true
	})
	return l
}
