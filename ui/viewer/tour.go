package viewer

import (
	"context"
	"fmt"
	"sync"

	"wiretea/recorder/capture"
	"wiretea/session/client"
	"wiretea/session/demo"
	"wiretea/session/lazy"
	"wiretea/ui/tour"
)

// A Tour goes through scenes of the embedded server, each a connection of one session. It
// implements tour.Tour.
type Tour struct {
	*Session
	argv   func(name string) ([]string, error) // argv is the command line, or the URL, of a behaviour.
	scenes []demo.Scene
	steps  chan int // steps has room for the step that was asked for and not yet taken.

	mu    sync.Mutex // mu guards what follows.
	scene tour.Scene
	line  string
}

// NewTour returns a tour through scenes, at least one, in a session of the first. argv
// gives the command line, or the URL, of a behaviour's server.
func NewTour(session *Session, scenes []demo.Scene, argv func(name string) ([]string, error)) *Tour {
	return &Tour{Session: session, argv: argv, scenes: scenes, steps: make(chan int, 1)}
}

// Scene implements tour.Tour.
func (d *Tour) Scene() tour.Scene {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.scene
}

// Line implements tour.Tour. What is said of a scene is shown once the session has
// something of it: until then the screen shows the scene before.
func (d *Tour) Line() string {
	d.mu.Lock()
	scene, line := d.scene, d.line
	d.mu.Unlock()
	snap := d.Snapshot()
	begun := snap.Len() > 0 && snap.Row(uint32(snap.Len()-1)).T >= scene.From
	if !begun && !scene.Over && scene.At > 0 && scene.At <= len(d.scenes) && scene.Of > 1 {
		return fmt.Sprintf("%d/%d  starting %s", scene.At, scene.Of, d.scenes[scene.At-1].Name)
	}
	return line
}

// Step implements tour.Tour. Steps that were asked for and not yet taken add up.
func (d *Tour) Step(by int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case before := <-d.steps:
		by += before
	default:
	}
	d.steps <- by
}

// set changes the scene that is shown and what is said about it.
func (d *Tour) set(line string, change func(*tour.Scene)) {
	d.mu.Lock()
	d.line = line
	change(&d.scene)
	d.mu.Unlock()
	d.Notify()
}

// showMore says which key shows more of a scene, by its server.
var showMore = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"healthy":       "T lists what the server offers, c calls it",
		"pretty":        "! goes to the findings, e explains one",
		"huge-line":     "enter opens the frame, all 12 MB of it",
		"chatty":        "S goes to stderr",
		"slow":          "s shows latencies by method",
		"no-answer":     "the timer turns amber, then red",
		"crash":         "P shows the process and its last lines of stderr",
		"exit-on-probe": "P shows both processes",
		"ignores-eof":   "P shows who ended it",
	}
}}

// Run plays a scene at a time, and the next one when it is told to, until ctx ends.
func (d *Tour) Run(ctx context.Context) error {
	if len(d.scenes) == 1 {
		only := d.scenes[0]
		d.begin(1, only.Says)
		d.play(ctx, only)
		d.end(only.Says + "  ·  w goes through the findings, ? lists the keys")
		return nil
	}
	for at := 1; ctx.Err() == nil; {
		by := 0
		if at > len(d.scenes) {
			_ = d.HangUp(ctx)
			d.begin(at, "")
			d.end("That was the tour. w goes through the findings, ? lists the keys. Now your own server: wiretea run -- CMD ARGS…")
			by = d.step(ctx)
		} else {
			by = d.visit(ctx, at)
		}
		at = min(max(1, at+by), len(d.scenes)+1)
	}
	return nil
}

// visit plays a scene and returns the step that is asked for, 0 once ctx has ended. A
// step that comes while it plays ends it.
func (d *Tour) visit(ctx context.Context, at int) (by int) {
	scene := d.scenes[at-1]
	words := fmt.Sprintf("%d/%d  %s  %s", at, len(d.scenes), scene.Name, scene.Says)
	if more := showMore.Get()[scene.Name]; more != "" {
		words += "  ·  " + more
	}
	_ = d.HangUp(ctx)
	d.begin(at, words)
	playing, stop := context.WithCancel(ctx)
	defer stop()
	played := make(chan struct{})
	go func() {
		defer close(played)
		d.play(playing, scene)
	}()
	select {
	case <-played:
		d.end(words)
		return d.step(ctx)
	case by = <-d.steps:
	case <-ctx.Done():
	}
	stop()
	<-played
	return by
}

// begin shows a scene that begins now.
func (d *Tour) begin(at int, line string) {
	now := d.Now()
	d.set(line, func(s *tour.Scene) {
		*s = tour.Scene{At: at, Of: len(d.scenes), Serial: s.Serial + 1, From: now}
	})
}

// end says that the scene has been played.
func (d *Tour) end(line string) { d.set(line, func(s *tour.Scene) { s.Over = true }) }

// step returns the next step, 0 once ctx has ended.
func (d *Tour) step(ctx context.Context) int {
	select {
	case by := <-d.steps:
		return by
	case <-ctx.Done():
		return 0
	}
}

// play starts a scene's server and makes its calls. Errors are expected. A server without
// a fault goes on, so that one can try it.
func (d *Tour) play(ctx context.Context, scene demo.Scene) {
	argv, err := d.argv(scene.Name)
	if err != nil {
		return
	}
	if p, ok := d.Server().(*capture.Process); ok {
		p.Argv = argv
	}
	c, err := d.Connect(ctx)
	if err != nil {
		return
	}
	talk := client.Conversation{Done: c.Done(), Send: func(ctx context.Context, line string) {
		if method, params, err := client.ParseLine(line); err == nil {
			_ = capture.Deliver(ctx, c, method, params, nil, false)
		}
	}}
	if scene.Pace > 0 {
		talk.Paced(ctx, scene.Calls, scene.Pace)
	} else {
		talk.Each(ctx, scene.Calls)
	}
	talk.Idle(ctx, scene.Linger)
	if ctx.Err() == nil && (!scene.Healthy() || len(d.scenes) == 1) {
		_ = d.HangUp(ctx)
	}
}
