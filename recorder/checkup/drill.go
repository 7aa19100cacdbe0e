package checkup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// A Drill describes trials, each with a client, a server process and a recording of its own.
// Client and either Tee and Server or Proxy must be set.
type Drill struct {
	Client  func(at []string) []string // Client returns the command line of a client that uses the server at a command line, or a URL, once.
	Timeout time.Duration              // Timeout is how long the client may run.

	Tee    []string             // Tee is the command line of wiretea tee, to which flags and the server are appended.
	Server []string             // Server is the server's command line.
	Proxy  *capture.ProxyConfig // Proxy describes the proxy in front of a server at a URL; nil for a command. Try sets Record and InPath.
	Quiet  time.Duration        // Quiet is how long a request may have no response before the server counts as hung.
}

// A Verdict says in a word what a side did.
type Verdict string

const (
	Survived Verdict = "survived" // Survived: none of the below.
	Ended    Verdict = "ended"    // Ended: a server that the fault has ended.
	Hung     Verdict = "hung"     // Hung: a client that did not end, or a server that did not answer.
	Crashed  Verdict = "crashed"  // Crashed: a client that a signal ended, or a server that ended by itself, with an error.
)

// Acted reports what one side did under a fault.
type Acted struct {
	Verdict Verdict `json:"verdict"`
	Said    string  `json:"said,omitempty"` // Said says more, verbatim.
}

// A Trial reports what client and server did under one fault.
type Trial struct {
	Fault    string  `json:"fault"`   // Fault is its spec with its seed; empty = there was none.
	Applied  bool    `json:"applied"` // Applied: a message met it.
	Client   Acted   `json:"client"`
	ExitCode int     `json:"exitCode"` // ExitCode is the client's; -1 where it hung or crashed.
	Server   Acted   `json:"server"`
	Seconds  float64 `json:"seconds"` // Seconds is how long the trial took.
}

// Fine reports whether both sides survived, or did what the fault makes them do.
func (t *Trial) Fine() bool {
	return t.Client.Verdict == Survived && (t.Server.Verdict == Survived || t.Server.Verdict == Ended)
}

// Try makes one trial. With a nil f it injects no fault.
func (d *Drill) Try(ctx context.Context, f *path.Fault) (t Trial, err error) {
	kind := ""
	if f != nil {
		t.Fault, kind = f.Text(), f.Kind().Name
	}
	dir, err := os.MkdirTemp("", "wiretea-drill-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	at, end, err := d.place(filepath.Join(dir, "trial.mcpcap.jsonl"), t.Fault)
	if err != nil {
		return t, err
	}
	begun, used := time.Now(), false
	err = errors.Join(d.client(ctx, at, &t), end())
	t.Server.Verdict, t.Seconds = Survived, time.Since(begun).Round(time.Millisecond).Seconds()
	recordings, _ := filepath.Glob(filepath.Join(dir, "*.mcpcap.jsonl")) // A client may start its server several times.
	for i := 0; i < len(recordings) && err == nil; i++ {
		err = d.look(ctx, recordings[i], kind, &t, &used)
	}
	if kind == "kill" && t.Applied {
		t.Server = Acted{Ended, "killed"}
	}
	switch {
	case ctx.Err() != nil:
		return t, context.Cause(ctx)
	case err == nil && f == nil && !used:
		err = fmt.Errorf("the client did not use the server through wiretea: %s: %s", t.Client.Verdict, t.Client.Said)
	}
	return t, err
}

// place puts the fault before the server; end ends what was started for that.
func (d *Drill) place(file, text string) (at []string, end func() error, err error) {
	if d.Proxy == nil {
		at = append(append(at, d.Tee...), "--no-control", "--record", file)
		if text != "" {
			at = append(at, "--fault", text)
		}
		return append(append(at, "--"), d.Server...), func() error { return nil }, nil
	}
	cfg := *d.Proxy
	cfg.Record = capture.Record{File: file}
	if text != "" {
		f, err := path.ParseFault(text) // A fault counts what it was applied to: each trial has its own.
		if err != nil {
			return nil, nil, err
		}
		cfg.InPath.Faults = path.Faults{f}
	}
	proxy, err := capture.StartProxy(cfg)
	if err != nil {
		return nil, nil, fmt.Errorf("starting the proxy: %w", err)
	}
	return []string{proxy.URL(cfg.Servers[0].Name)}, func() error { return proxy.Close("eof") }, nil
}

// client runs the client, whose stdin is empty, and says in the trial how it ended.
func (d *Drill) client(ctx context.Context, at []string, t *Trial) error {
	program := &capture.Process{Argv: d.Client(at), Grace: transport.Grace{EOF: time.Second, Term: time.Second}}
	run, err := capture.New(capture.Config{Server: program, Limits: session.DefaultLimits(), Record: capture.Record{None: true}})
	if err != nil {
		return err
	}
	conn, err := run.Start()
	if err != nil {
		return errors.Join(err, run.Close(ctx, "error"), run.Release())
	}
	_ = conn.CloseWrite() // Whether it reads its stdin is its own affair.
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, conn)
	}()
	exited, hung := conn.Done(), false
	if process, ok := conn.(*transport.Conn); ok {
		exited = process.Child.Exited()
	}
	select {
	case <-exited:
	case <-ctx.Done():
	case <-time.After(d.Timeout):
		hung = true
	}
	err = run.Close(ctx, "eof")
	<-read
	s := run.Snapshot()
	t.Client.Verdict, t.ExitCode = Survived, -1
	switch c := s.LastConn(); {
	case hung:
		t.Client = Acted{Hung, "still ran after " + d.Timeout.String()}
	case c == nil || !c.Exited:
		t.Client.Said = "ended in an unknown way"
	case c.ExitSig != "":
		t.Client = Acted{Crashed, c.ExitSig}
	default:
		t.ExitCode, t.Client.Said = c.ExitCode, fmt.Sprintf("exit code %d", c.ExitCode)
		e := analysis.Gather(s, run.Log(), c)
		if last := e.LastStderr(); c.ExitCode != 0 && len(last) > 0 {
			t.Client.Said += ": " + strings.Join(last[max(0, len(last)-3):], "; ")
		}
	}
	return errors.Join(err, run.Release())
}

var (
	ending = []string{"kill", "stop", "hang", "reset", "close", "status"} // ending are the kinds after which a server may end, or cannot answer.
	gentle = []string{"delay", "drop", "duplicate", "reorder"}            // gentle are those that leave a request to the server whole.
)

// look says in the trial what a recording shows of the server under a kind of fault, and sets
// used where the client sent a request. A server need not answer what the fault kept from it, or
// made unreadable.
func (d *Drill) look(ctx context.Context, path, kind string, t *Trial, used *bool) error {
	f, err := recorder.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s, _, err := analysis.Read(ctx, f, session.Limits{})
	if err != nil {
		return err
	}
	broken, whole := map[string]bool{}, true // broken are the ids of the messages that met the fault.
	for i := range uint32(s.Len()) {
		if row := s.Row(i); row.Flags&session.FlagDecided != 0 {
			t.Applied, broken[s.ID(row)] = true, true
			whole = whole && (row.Stream == session.S2C || slices.Contains(gentle, kind))
		}
	}
	ours := t.Applied && slices.Contains(ending, kind)
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind != session.RowRequest || row.Stream != session.C2S {
			continue
		}
		*used = true
		waited := time.Duration(s.Clock() - row.T)
		if waited >= d.Quiet && whole && !ours && row.Way == session.Crossed && row.Pair == session.NoRow && !s.Refused(i) && !broken[s.ID(row)] {
			t.Server = Acted{Hung, "no response to " + analysis.RequestWords(s, row) + " in " + waited.Round(100*time.Millisecond).String()}
		}
	}
	for i := range s.Conns() {
		c := &s.Conns()[i]
		early := c.StdinEOF == 0 || c.ExitT < c.StdinEOF
		switch e := analysis.Gather(s, f, c); {
		case c.Failed:
			return errors.New("the server could not be started")
		case c.Exited && early && len(c.Signals) == 0 && (c.ExitCode != 0 || c.ExitSig != ""):
			last := e.LastStderr()
			t.Server = Acted{Crashed, strings.Join(append([]string{e.Process}, last[max(0, len(last)-1):]...), ": ")}
			if ours {
				t.Server.Verdict = Ended
			}
		}
	}
	return nil
}
