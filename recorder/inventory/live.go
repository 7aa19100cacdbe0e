package inventory

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/ui/format"
)

// A Live is a live session for programs. Pids are 0 where they are not known, and Size is
// in bytes.
type Live struct {
	Session    string    `json:"session"`
	Path       string    `json:"path"`
	Mode       string    `json:"mode"`
	Server     string    `json:"server"`
	Cmd        []string  `json:"cmd"`
	PID        int       `json:"pid"`
	Tee        int       `json:"teePid"`
	Client     int       `json:"clientPid"`
	ClientName string    `json:"clientName,omitempty"`
	Start      time.Time `json:"start"`
	Size       int64     `json:"size"`
}

// ListLive lists live sessions for programs; it is never nil.
func ListLive(live []capture.LiveSession) []Live {
	all := make([]Live, len(live))
	for i, l := range live {
		all[i] = Live{
			Session: recorder.SessionName(l.Path), Path: l.Path, Mode: l.Header.Mode, Server: recorder.ShortName(l.Header), Cmd: l.Header.Server(),
			PID: l.Server, Tee: l.Writer, Client: l.Header.PPID, ClientName: format.Visible([]byte(l.ClientName()), 0), Start: l.Header.T0, Size: l.Size,
		}
	}
	return all
}

// number is a process id; empty for 0, which a server over HTTP and its clients have.
func number(pid int) string {
	if pid == 0 {
		return ""
	}
	return strconv.Itoa(pid)
}

// LiveTable is a table of live sessions, a line for each below the head.
func LiveTable(live []capture.LiveSession, now time.Time) []string {
	table := format.Table{Right: []int{2, 3, 4}}
	table.Add("server", "client", "pid", "age", "size", "session")
	for _, l := range live {
		client := strings.TrimSpace(format.Visible([]byte(l.ClientName()), 40) + " " + number(l.Header.PPID))
		table.Add(recorder.ShortName(l.Header), client, number(l.Server), format.Duration(int64(now.Sub(l.Header.T0))), format.Size(l.Size),
			strings.TrimSuffix(filepath.Base(l.Path), recorder.Suffix))
	}
	return table.Lines()
}
