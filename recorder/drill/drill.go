package drill

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/decide/fault"
)

// A Drill describes a series of trials. Faults, Client and either Tee and Server or Proxy
// must be set.
type Drill struct {
	Faults fault.Faults // Faults are tried one after the other, each by itself.
	Client Client

	Tee    []string // Tee is the command line of wiretea tee, to which flags and the server are appended.
	Server []string // Server is the server's command line.

	// Proxy describes the proxy in front of a server at a URL; nil for a command. Listen,
	// Record and InPath are set by the Drill.
	Proxy *capture.ProxyConfig

	Timeout time.Duration // Timeout is how long a request of our client, or the whole client program, may take.

	// Begins is told of each trial as it begins, from 0, which is the one without a fault.
	// Nil means that nothing is.
	Begins func(i int, fault string)
}

// A Place is where a client reaches the server: at a command line or at a URL.
type Place struct {
	Command []string
	URL     string
}

// A Client is the client of the trials.
type Client interface {
	// Try uses the server at the place once. It returns when the client has ended, which it
	// must soon after ctx. The error is one of ours: there was no trial.
	Try(ctx context.Context, at Place) (Result, error)
}

// Result is how a client has ended.
type Result struct {
	Verdict Verdict // Verdict is Recovered where it ended well.
	Said    string  // Said is what the client told its user of a failure, or how its process ended, verbatim.
}

// ErrNoServer is returned where the server could not be started.
var ErrNoServer = errors.New("the server could not be started")

// ErrUnused is returned where the client ended well and nothing of it came to the server.
var ErrUnused = errors.New("the client program ended without an error, and did not use the server through wiretea")

// Run runs the trial without a fault, and where that goes well one for each fault. What was
// tried until an error, or until ctx ended, is in the Report that is returned with it.
func (d *Drill) Run(ctx context.Context) (Report, error) {
	rep := Report{}
	base, plain, err := d.try(ctx, 0, nil)
	if err != nil {
		return rep, err
	}
	if base.lacking {
		return rep, ErrNoServer
	}
	if base.files == 0 || len(base.sent) == 0 && plain.Verdict == Recovered {
		if plain.Verdict != Recovered {
			return rep, fmt.Errorf("the client did not use the server: %s", plain.Said)
		}
		return rep, ErrUnused
	}
	rep.Plain = plain.judge(nil, base, base)
	if !rep.Plain.Fine() {
		return rep, nil
	}
	for i, f := range d.Faults {
		side, got, err := d.try(ctx, i+1, f)
		if err != nil {
			return rep, err
		}
		rep.Trials = append(rep.Trials, got.judge(f, side, base))
	}
	return rep, nil
}

// an outcome is how the client of a trial has ended, and after which time.
type outcome struct {
	Result
	took  time.Duration
	quiet time.Duration // quiet is how long a request may have no response before the server is said to hang.
}

// try makes one trial; a nil f is none.
func (d *Drill) try(ctx context.Context, i int, f *fault.Fault) (side side, got outcome, err error) {
	text := ""
	if f != nil {
		text = f.Text()
	}
	if d.Begins != nil {
		d.Begins(i, text)
	}
	dir, err := os.MkdirTemp("", "wiretea-drill-")
	if err != nil {
		return side, got, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "trial.mcpcap.jsonl")
	at, end, err := d.place(file, text)
	if err != nil {
		return side, got, err
	}
	begun := time.Now()
	got.Result, err = d.Client.Try(ctx, at)
	got.took, got.quiet = time.Since(begun), d.Timeout/2
	if ended := end(); err == nil {
		err = ended
	}
	if ctx.Err() != nil {
		return side, got, context.Cause(ctx)
	}
	if err != nil {
		return side, got, err
	}
	side, err = readAll(ctx, dir)
	return side, got, err
}

// place puts the fault before the server; end ends what was started for that.
func (d *Drill) place(file, text string) (at Place, end func() error, err error) {
	if d.Proxy == nil {
		argv := append([]string{}, d.Tee...)
		argv = append(argv, "--no-control", "--record", file)
		if text != "" {
			argv = append(argv, "--fault", text)
		}
		at.Command = append(append(argv, "--"), d.Server...)
		return at, func() error { return nil }, nil
	}
	cfg := *d.Proxy
	cfg.Record = capture.Record{File: file}
	if text != "" {
		// A fault counts what it was applied to: each trial has its own.
		f, err := fault.Parse(text)
		if err != nil {
			return at, nil, err
		}
		cfg.InPath.Faults = fault.Faults{f}
	}
	proxy, err := capture.StartProxy(cfg)
	if err != nil {
		return at, nil, fmt.Errorf("starting the proxy: %w", err)
	}
	at.URL = proxy.URL(cfg.Servers[0].Name)
	return at, func() error { return proxy.Close("eof") }, nil
}
