package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/decide/fault"
	"wiretea/session/mcp"
)

// longest is the longest request that is read, in bytes. Of longer ones the tool's name counts.
const longest = 1 << 20

// A side is what the recordings of a trial have of both sides.
type side struct {
	files   int            // files counts the recordings: a client may start its server several times.
	applied bool           // applied: the fault was applied.
	toward  session.Stream // toward is the direction of the message that it was applied to first.
	cut     bool           // cut: it acted on the connection itself.
	sent    map[string]int // sent counts the requests of the client, by what they ask for.
	reached map[string]int // reached counts the calls of tools that the server got.
	lacking bool           // lacking: the server could not be started.
	died    string         // died is how the server's process failed of itself; empty = it did not.
	waiting string         // waiting is the request that the server had unaltered and did not answer for longest; empty = none.
	waited  time.Duration
}

// readAll reads the recordings in a folder.
func readAll(ctx context.Context, dir string) (side, error) {
	all := side{sent: map[string]int{}, reached: map[string]int{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.mcpcap.jsonl"))
	for _, path := range paths {
		if rerr := all.file(ctx, path); rerr != nil {
			err = errors.Join(err, rerr)
		}
	}
	return all, err
}

func (d *side) file(ctx context.Context, path string) error {
	f, err := recorder.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s, _, err := analysis.Read(ctx, f, session.Limits{})
	if err != nil {
		return err
	}
	d.files++
	return d.read(s, f)
}

// read adds what one recording has.
func (d *side) read(s *session.Snapshot, log recorder.Log) error {
	marks, err := faulted(log)
	if err != nil {
		return err
	}
	if marks.any && !d.applied {
		d.applied, d.toward = true, marks.toward
	}
	d.cut = d.cut || marks.cut
	bodies := recorder.NewBodies(log)
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind != session.RowRequest || row.Stream != session.C2S {
			continue
		}
		key, err := keyOf(s, bodies, i)
		if err != nil {
			return err
		}
		if row.Way != session.WayOut {
			d.sent[key]++
		}
		if row.Way != session.WayIn && s.Name(row.Method) == mcp.ToolsCall {
			d.reached[key]++
		}
		if waited := time.Duration(s.Clock() - row.T); row.Way == session.Crossed && row.Pair == session.NoRow && !s.Refused(i) && !marks.ids[s.ID(row)] && waited > d.waited {
			d.waiting, d.waited = analysis.RequestWords(s, row), waited
		}
	}
	for i := range s.Conns() {
		c := &s.Conns()[i]
		if c.Failed {
			d.lacking = true
		}
		early := c.StdinEOF == 0 || c.ExitT < c.StdinEOF
		if c.Exited && early && len(c.Signals) == 0 && (c.ExitCode != 0 || c.ExitSig != "") && d.died == "" {
			e := analysis.Gather(s, log, c)
			d.died = e.Process
			if last := e.LastStderr(); len(last) > 0 {
				d.died += ": " + last[len(last)-1]
			}
		}
	}
	return nil
}

// marks are what the faults have left in a recording.
type marks struct {
	any    bool
	toward session.Stream
	cut    bool
	ids    map[string]bool // ids are those of the messages that were broken, as raw text.
}

// faulted reads them.
func faulted(log recorder.Log) (m marks, err error) {
	m.ids = map[string]bool{}
	for rec, err := range recorder.NewReader(log, 0).Records() {
		switch {
		case err != nil:
			return m, err
		case rec.Kind == session.RecPath && rec.Path.Event == "cut":
			m.any, m.cut = true, true
		case (rec.Kind == session.RecFrame || rec.Kind == session.RecRaw) && strings.HasPrefix(rec.By, fault.By):
			if !m.any {
				m.toward = rec.Stream
			}
			m.any = true
			var head struct {
				ID json.RawMessage `json:"id"`
			}
			if json.Unmarshal(rec.Body, &head) == nil && len(head.ID) > 0 {
				m.ids[string(head.ID)] = true
			}
		}
	}
	return m, nil
}

// keyOf is what a request asks for: its method, and of a call of a tool its name and arguments.
func keyOf(s *session.Snapshot, bodies *recorder.Bodies, i uint32) (string, error) {
	row := s.Row(i)
	key := s.Name(row.Method) + " " + s.Name(row.Target)
	if s.Name(row.Method) != mcp.ToolsCall || row.Len > longest {
		return key, nil
	}
	body, err := bodies.ReadValue(s, i, longest)
	if err != nil {
		return "", err
	}
	var req struct {
		Params struct {
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	var text bytes.Buffer
	if json.Unmarshal(body, &req) == nil && json.Compact(&text, req.Params.Arguments) == nil {
		key += " " + text.String()
	}
	return key, nil
}
