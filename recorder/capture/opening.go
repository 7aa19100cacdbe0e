package capture

import (
	"wiretea/recorder"
	"wiretea/recorder/peers"
	"wiretea/session"
)

// An opening is what the first records of a session say.
type opening struct {
	server int    // server is the server's pid; 0 where it has not started.
	client string // client is the name that the client gives itself; empty where it has not.
}

// openingRecords and openingBytes limit how much of a session is its opening.
const (
	openingRecords = 100
	openingBytes   = 256 << 10
)

// readOpening reads the opening of a recording, which may still grow. The zero
// opening is returned where the file cannot be read.
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
	o.client = peers.Read(f, analyzer.Snapshot(), openingRecords).Client.Name
	return o
}
