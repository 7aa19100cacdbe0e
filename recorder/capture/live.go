package capture

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client/http"
)

// A LiveSession is one that another process records now.
type LiveSession struct {
	recorder.Info
	Server int // Server is the server's pid; 0 where it has not started.
	Writer int // Writer is the pid of the process that records; 0 where the file's name does not say it.

	// InPath are the words for what holds, changes or decides on its messages, as far as Ask has asked.
	InPath []string

	Client string // Client is the name that the client gives itself, verbatim; empty if it has given none.
}

// LiveSessions returns the live sessions in a sessions folder, the latest first. The
// empty dir is the default folder.
func LiveSessions(dir string) ([]LiveSession, error) {
	list, err := recorder.List(dir)
	if err != nil {
		return nil, err
	}
	var live []LiveSession
	for _, info := range list {
		// Where locks do not work, a file without an end may be live.
		if info.Header == nil || info.Live == recorder.NotLive || info.End != nil {
			continue
		}
		live = append(live, Inspect(info))
	}
	return live, nil
}

// Ask asks the process of a session, for a second at most, what is in the path of its messages.
func (l *LiveSession) Ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	place, err := Intercept(ctx, l.Header, "list")
	if err != nil {
		return
	}
	defer place.Close()
	s := place.State()
	for _, on := range []struct {
		word string
		on   bool
	}{{"policy", s.Policy != ""}, {"intercept", len(s.Places) > 0}, {"faults", len(s.Faults) > 0}} {
		if on.on {
			l.InPath = append(l.InPath, on.word)
		}
	}
}

// openingRecords and openingBytes limit how much of a session is its opening.
const (
	openingRecords = 100
	openingBytes   = 256 << 10
)

// Inspect reads the opening of a session, which may still grow. Where its file cannot be
// read, or the analysis fails, it says nothing of server and client.
func Inspect(info recorder.Info) (live LiveSession) {
	defer func() {
		_ = recover() // One file takes no list away.
	}()
	live = LiveSession{Info: info, Writer: writerPID(info.Path)}
	f, err := recorder.Open(info.Path)
	if err != nil {
		return live
	}
	defer f.Close()
	r := recorder.NewReader(f, 0)
	analyzer := session.NewAnalyzer(session.Config{})
	var rec session.Record
	for range openingRecords {
		if r.Offset() > openingBytes || r.Next(&rec) != nil {
			break
		}
		if live.Server == 0 && rec.Kind == session.RecProc && rec.Proc.Event == "start" {
			live.Server = rec.Proc.PID
		}
		analyzer.Add(&rec)
	}
	live.Client = recorder.ReadHandshake(f, analyzer.Snapshot(), openingRecords).Client.Name
	return live
}

// writerPID is the pid in a session file's name, as recorder.FileName writes it.
func writerPID(path string) int {
	words := strings.Split(recorder.SessionName(path), "-")
	if len(words) < 4 {
		return 0
	}
	pid, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return 0
	}
	return pid
}

// Dial returns what acts on a live session; opt says how a proxy's server is spoken to.
// Where c is nil, refused says why. A c that is an io.Closer is to be closed.
func Dial(h *session.Header, opt http.Options) (c session.Control, refused string) {
	switch {
	case h == nil:
		return nil, "the session has not begun"
	case h.Mode == "run":
		return nil, "it is a session of wiretea run, which sends requests itself"
	case h.Via != "":
		b, err := newBeside(h.Via, opt)
		if err != nil {
			return nil, err.Error()
		}
		return b, ""
	case h.Trans == "http":
		return nil, "its tee speaks HTTP to the server, and accepts no requests"
	}
	return dial(h)
}

// Is reports whether a word names the session: its recording, the server's name, or
// the pid of server, writer or client.
func (l LiveSession) Is(word string) bool {
	if pid, err := strconv.Atoi(word); err == nil && pid > 0 {
		return pid == l.Server || pid == l.Writer || pid == l.Header.PPID
	}
	return word == recorder.SessionName(l.Path) || word == filepath.Base(l.Path) || word == recorder.ShortName(l.Header)
}

// ClientName returns Client, else the name of the client's process, verbatim; empty
// if neither is known.
func (l LiveSession) ClientName() string {
	if l.Client != "" || l.Header == nil {
		return l.Client
	}
	return processName(l.Header.PPID)
}
