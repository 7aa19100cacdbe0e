package run

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/demo"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// showDemo plays scenes on the screen.
func showDemo(ctx context.Context, server *demoServer, scenes []demo.Scene, theme string, out, errw io.Writer) (int, error) {
	says := &display.Notices{}
	play, err := newDemoPlay(server, scenes, says)
	if err != nil {
		return term.ExitUsage, err
	}
	defer context.AfterFunc(ctx, func() { _ = play.Close(ctx) })()
	err = display.Show(ctx, screen.Options{Sources: []source.Source{play.Session}, Tour: play}, says, theme, play.Run)
	return term.ExitFine, play.Farewell(ctx, out, errw, err)
}

// NewDemoPlay begins the session of the tour.
func NewDemoPlay(says *display.Notices) (*DemoPlay, error) {
	server, err := newDemoServer(false)
	if err != nil {
		return nil, err
	}
	return newDemoPlay(server, demo.Tour(), says)
}

// newDemoPlay begins the session of a play. Each server is a connection of that
// session.
func newDemoPlay(server *demoServer, scenes []demo.Scene, says *display.Notices) (*DemoPlay, error) {
	argv, err := server.argv(scenes[0].Name)
	if err != nil {
		return nil, err
	}
	o := demoSession(argv)
	// Nobody waits longer than a few seconds for a fault.
	o.Server.Limits.Timeout = 5 * time.Second
	o.Client.ProbeTimeout = time.Second
	play := &DemoPlay{server: server, scenes: scenes, steps: make(chan int, 1)}
	if play.Session, err = display.NewSession("wiretea demo", &o, false, nil, says); err != nil {
		return nil, err
	}
	return play, nil
}

// A DemoPlay goes through scenes. It implements screen.Tour.
type DemoPlay struct {
	*display.Session
	server *demoServer
	scenes []demo.Scene
	steps  chan int // steps has room for the step that was asked for and not yet taken.

	mu    sync.Mutex // mu guards what follows.
	scene screen.Scene
	line  string
}

// Scene implements screen.Tour.
func (d *DemoPlay) Scene() screen.Scene {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.scene
}

// Line implements screen.Tour. What is said of a scene is shown once the session has
// something of it: until then the screen shows the scene before.
func (d *DemoPlay) Line() string {
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

// Step implements screen.Tour. Steps that were asked for and not yet taken add up.
func (d *DemoPlay) Step(by int) {
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
func (d *DemoPlay) set(line string, change func(*screen.Scene)) {
	d.mu.Lock()
	d.line = line
	change(&d.scene)
	d.mu.Unlock()
	d.Notify()
}

// showMore says which key shows more of a scene, by its server.
var showMore = map[string]string{
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

// Run plays a scene at a time, and the next one when it is told to, until ctx ends.
func (d *DemoPlay) Run(ctx context.Context) error {
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
func (d *DemoPlay) visit(ctx context.Context, at int) (by int) {
	scene := d.scenes[at-1]
	words := fmt.Sprintf("%d/%d  %s  %s", at, len(d.scenes), scene.Name, scene.Says)
	if more := showMore[scene.Name]; more != "" {
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
func (d *DemoPlay) begin(at int, line string) {
	now := d.Now()
	d.set(line, func(s *screen.Scene) {
		*s = screen.Scene{At: at, Of: len(d.scenes), Serial: s.Serial + 1, From: now}
	})
}

// end says that the scene has been played.
func (d *DemoPlay) end(line string) { d.set(line, func(s *screen.Scene) { s.Over = true }) }

// step returns the next step, 0 once ctx has ended.
func (d *DemoPlay) step(ctx context.Context) int {
	select {
	case by := <-d.steps:
		return by
	case <-ctx.Done():
		return 0
	}
}

// play starts a scene's server and makes its calls. Errors are expected. A server without
// a fault goes on, so that one can try it.
func (d *DemoPlay) play(ctx context.Context, scene demo.Scene) {
	argv, err := d.server.argv(scene.Name)
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
	talk := newTalk(c, io.Discard)
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
