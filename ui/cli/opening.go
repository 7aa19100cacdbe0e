package cli

import (
	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// An opening is what the first records of a session tell.
type opening struct {
	server int    // server is the server's pid, 0 where it has not started.
	client string // client is what the client calls itself, empty where it has not said so.
}

// openingRecords and openingBytes are how much of a session is its opening.
const (
	openingRecords = 100
	openingBytes   = 256 << 10
)

// readOpening reads the opening of a recording, which may still grow. What cannot
// be read tells nothing.
func readOpening(path string) (o opening) {
	f, err := recorder.Open(path)
	if err != nil {
		return o
	}
	defer f.Close()
	r := recorder.NewReader(f, 0)
	analyzer := session.NewAnalyzer(session.Config{})
	var rec session.Record
	for range openingRecords {
		if r.Offset() > openingBytes || r.Next(&rec) != nil {
			break
		}
		if o.server == 0 && rec.Kind == session.RecProc && rec.Proc.Event == "start" {
			o.server = rec.Proc.PID
		}
		analyzer.Add(&rec)
	}
	o.client = term.Visible(analysis.ClientName(f, analyzer.Snapshot()))
	return o
}

// clientOf names the client of a live session: what it calls itself, else its
// process; empty where neither is known.
func (o opening) clientOf(h *session.Header) string {
	if o.client != "" || h == nil {
		return o.client
	}
	return processName(h.PPID)
}
