package plain

import (
	"encoding/json"

	"wiretea/session"
)

// rowObject is one row for programs. Absent members are empty.
type rowObject struct {
	N       uint32  `json:"n"`
	Seconds float64 `json:"t"`
	Conn    uint16  `json:"connection"`
	Stream  string  `json:"stream"`
	Way     string  `json:"way,omitempty"` // Way is that of the session file: out for injected, in for taken out.
	By      string  `json:"by,omitempty"`  // By is who decided what became of the frame.
	Kind    string  `json:"kind"`
	Method  string  `json:"method,omitempty"`
	Target  string  `json:"target,omitempty"`
	ID      string  `json:"id,omitempty"`
	Pair    uint32  `json:"pair,omitempty"`
	Latency float64 `json:"latencyMs,omitempty"`
	Size    uint32  `json:"size"`
	Worst   string  `json:"worst,omitempty"`
	Text    string  `json:"text,omitempty"`
}

func (p *Printer) rowJSON(s *session.Snapshot, i uint32) string {
	r := s.Row(i)
	o := rowObject{
		N: r.N, Seconds: float64(r.T) / 1e9, Conn: r.Conn, Stream: r.Stream.String(), Way: r.Way.String(), By: p.by(r), Kind: r.Kind.String(),
		Method: s.Name(r.Method), Target: s.Name(r.Target), ID: s.ID(r), Size: r.Len, Worst: r.Sev.String(),
	}
	if r.Pair != session.NoRow {
		o.Pair = s.Row(r.Pair).N
	}
	if ns, ok := s.Latency(i); ok {
		o.Latency = float64(ns) / 1e6
	}
	if r.Kind == session.RowText || r.Kind == session.RowStderr {
		o.Text = string(p.body(r, 4*excerpt))
	}
	line, err := json.Marshal(o)
	if err != nil {
		return "{}"
	}
	return string(line)
}
