package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"wiretea/session"
	"wiretea/session/demo"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
)

// scenePause is how long a scene stays on the screen before the next one.
const scenePause = 2500 * time.Millisecond

// showDemo plays scenes on the screen.
func showDemo(ctx context.Context, scenes []demo.Scene, theme string, out, errw io.Writer) (int, error) {
	says := &notices{}
	play, o, err := newDemoPlay(scenes, says)
	if err != nil {
		return term.ExitUsage, err
	}
	defer context.AfterFunc(ctx, func() { _ = play.src.Close(ctx) })()
	err = display(ctx, screen.Options{Sources: []screen.Source{play.src}, Says: play.line}, says, theme, play.run)
	return o.farewell(ctx, play.src, out, errw, err)
}

// newDemoPlay begins the session of a play: one session, and each server a
// connection of its own in it.
func newDemoPlay(scenes []demo.Scene, says *notices) (*demoPlay, *runOptions, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("finding our own binary: %w", err)
	}
	o := &runOptions{
		server: serverOptions{argv: []string{self, "demo", "--server", scenes[0].Server}, limits: session.DefaultLimits()},
		record: recordOptions{none: true},
	}
	// Faults are shown in a minute, so nobody waits for a minute.
	o.server.limits.Timeout = 5 * time.Second
	o.probeTimeout = time.Second
	src, err := startSource("wiretea demo", o, newBell(), says)
	if err != nil {
		return nil, nil, err
	}
	play := &demoPlay{src: src, self: self, scenes: scenes}
	play.say("")
	return play, o, nil
}

// A demoPlay goes through scenes.
type demoPlay struct {
	src    *liveSource
	self   string
	scenes []demo.Scene
	says   atomic.Pointer[string]
}

// line is what is happening now.
func (d *demoPlay) line() string { return *d.says.Load() }

func (d *demoPlay) say(text string) {
	d.says.Store(&text)
	d.src.bell.ring()
}

// showMore says which key shows more of a scene, by its server.
var showMore = map[string]string{
	"healthy":       "enter opens a frame, T lists what the server offers",
	"pretty":        "! goes to the findings, e explains one",
	"huge-line":     "enter opens the frame, all 12 MB of it",
	"chatty":        "S goes to stderr",
	"slow":          "s shows latencies by method",
	"no-answer":     "the timer turns amber, then red",
	"crash":         "P shows the process and its last words",
	"exit-on-probe": "P shows both processes",
	"ignores-eof":   "P shows who ended it",
}

// run plays the scenes one after the other, until ctx ends.
func (d *demoPlay) run(ctx context.Context) error {
	for i, scene := range d.scenes {
		words := scene.Says
		if len(d.scenes) > 1 {
			more := showMore[scene.Server]
			if more == "" {
				more = "w goes to the finding"
			}
			words = fmt.Sprintf("%d/%d  %s  %s  ·  %s", i+1, len(d.scenes), scene.Server, scene.Says, more)
		}
		d.say(words)
		d.play(ctx, scene)
		if !pauseFor(ctx, scenePause) {
			return nil
		}
	}
	if len(d.scenes) > 1 {
		d.say("That was the tour. w goes through the findings, ? lists the keys. Now your own server: wiretea run -- CMD ARGS…")
	} else {
		d.say(d.line() + "  ·  w goes through the findings, ? lists the keys")
	}
	return nil
}

// play starts a scene's server and makes its calls. What goes wrong is the point.
func (d *demoPlay) play(ctx context.Context, scene demo.Scene) {
	d.src.acting.Lock()
	_ = d.src.l.hangUp(ctx)
	d.src.l.stdio.Command.Argv = []string{d.self, "demo", "--server", scene.Server}
	d.src.acting.Unlock()
	if err := d.src.connect(ctx); err != nil {
		return
	}
	d.src.mu.Lock()
	c := d.src.client
	d.src.mu.Unlock()
	talk := &conversation{client: c, errw: io.Discard}
	if scene.Pace > 0 {
		talk.paced(ctx, scene.Calls, scene.Pace)
	} else {
		talk.each(ctx, scene.Calls)
	}
	talk.idle(ctx, scene.Linger)
	d.src.acting.Lock()
	_ = d.src.l.hangUp(ctx)
	d.src.acting.Unlock()
}

// pauseFor waits and reports whether ctx is still alive.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
