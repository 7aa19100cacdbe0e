package inventory

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session/text"
)

// A Listed is one recording for programs.
type Listed struct {
	Path    string           `json:"path"`
	Size    int64            `json:"size"` // Size is in bytes.
	State   string           `json:"state"`
	Error   string           `json:"error,omitempty"`
	Judged  bool             `json:"judged"`            // Judged: the findings of Summary were counted.
	Outcome string           `json:"outcome,omitempty"` // Outcome is how the server ended, if that was not well.
	Summary recorder.Summary `json:"summary"`
}

// ListRecordings lists recordings for programs; it is never nil.
func ListRecordings(list []recorder.Info) []Listed {
	out := make([]Listed, len(list))
	for i, info := range list {
		out[i] = Listed{Path: info.Path, Size: info.Size, State: info.Live.String(), Judged: info.Judged, Outcome: info.Outcome, Summary: info.Summary}
		if info.Err != nil {
			out[i].Error = info.Err.Error()
		}
	}
	return out
}

// RecordingTable is a table of recordings with a head; it has no lines without any.
func RecordingTable(list []recorder.Info) *text.Table {
	table := &text.Table{Right: []int{2, 3, 4}}
	if len(list) > 0 {
		table.Add("name", "started", "length", "frames", "size", "client", "findings")
	}
	for _, info := range list {
		table.Add(text.Line(recorder.SessionName(info.Path)), Started(info.Summary.Start), text.Duration(int64(info.Summary.Duration)),
			text.Count(info.Summary.Frames), text.Size(info.Size), text.Visible([]byte(info.Summary.Client), 20), FindingsWord(info))
	}
	return table
}

// FindingsWord is how a recording stands, safe to print: live, unreadable, cut off, or its
// findings.
func FindingsWord(info recorder.Info) string {
	s := info.Summary
	var words []string
	switch {
	case info.Err != nil:
		return "unreadable: " + text.Line(info.Err.Error())
	case info.Live == recorder.Live:
		words = append(words, "● live")
	case s.Ended == "":
		words = append(words, "ended abnormally")
	}
	if s.Lost > 0 {
		words = append(words, LossWord(s.Lost))
	}
	for _, part := range []struct {
		n    int64
		sign string
	}{{s.Errors, "✖"}, {s.Warnings, "⚠"}, {s.Infos, "ℹ"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%s %d", part.sign, part.n))
		}
	}
	if !info.Judged && info.Live != recorder.Live {
		words = append(words, "not judged")
	}
	if info.Outcome != "" {
		words = append(words, text.Line(info.Outcome))
	}
	if len(words) == 0 && info.Judged {
		return "✔"
	}
	return strings.Join(words, "  ")
}

// LossWord says how many bytes of a session are not in its file.
func LossWord(lost int64) string { return "✖ " + text.Size(lost) + " not recorded" }

// Started is when a session was started, in local time to the minute; empty for the zero
// time.
func Started(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

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
	InPath     []string  `json:"inPath,omitempty"` // InPath are policy, intercept and faults, as far as they are on.
}

// ListLive lists live sessions for programs; it is never nil.
func ListLive(live []capture.LiveSession) []Live {
	all := make([]Live, len(live))
	for i, l := range live {
		all[i] = Live{
			Session: recorder.SessionName(l.Path), Path: l.Path, Mode: l.Header.Mode, Server: recorder.ShortName(l.Header), Cmd: l.Header.Server(),
			PID: l.Server, Tee: l.Writer, Client: l.Header.PPID, ClientName: text.Visible([]byte(l.ClientName()), 0), Start: l.Header.T0, Size: l.Size, InPath: l.InPath,
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

// notTransparent says, behind a session's name, what is in the path of its messages.
func notTransparent(inPath []string) string {
	if len(inPath) == 0 {
		return ""
	}
	return "  NOT TRANSPARENT: " + strings.Join(inPath, ", ")
}

// LiveTable is a table of live sessions, a line for each below the head.
func LiveTable(live []capture.LiveSession, now time.Time) []string {
	table := text.Table{Right: []int{2, 3, 4}}
	table.Add("server", "client", "pid", "age", "size", "session")
	for _, l := range live {
		client := strings.TrimSpace(text.Visible([]byte(l.ClientName()), 40) + " " + number(l.Header.PPID))
		table.Add(recorder.ShortName(l.Header), client, number(cmp.Or(l.Server, l.Writer)), text.Duration(int64(now.Sub(l.Header.T0))), text.Size(l.Size),
			strings.TrimSuffix(filepath.Base(l.Path), recorder.Suffix)+notTransparent(l.InPath))
	}
	return table.Lines()
}
