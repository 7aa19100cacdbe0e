package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/demo"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// scenePause is how long a scene stays on the screen before the next one.
const scenePause = 2500 * time.Millisecond

// showDemo plays scenes on the screen.
func showDemo(ctx context.Context, scenes []demo.Scene, theme string, out, errw io.Writer) (int, error) {
	says := &display.Notices{}
	play, err := NewDemoPlay(scenes, says)
	if err != nil {
		return term.ExitUsage, err
	}
	defer context.AfterFunc(ctx, func() { _ = play.Close(ctx) })()
	err = display.Show(ctx, screen.Options{Sources: []source.Source{play.Session}, Says: play.Line}, says, theme, play.Run)
	return term.ExitFine, play.Farewell(ctx, out, errw, err)
}

// NewDemoPlay begins the session of a play. Each server is a connection of that
// session.
func NewDemoPlay(scenes []demo.Scene, says *display.Notices) (*DemoPlay, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding our own binary: %w", err)
	}
	o := demoSession(self, scenes[0].Name)
	// Faults are shown within a minute, so the timeouts are short.
	o.Server.Limits.Timeout = 5 * time.Second
	o.Client.ProbeTimeout = time.Second
	play := &DemoPlay{self: self, scenes: scenes}
	if play.Session, err = display.NewSession("wiretea demo", &o, false, nil, says); err != nil {
		return nil, err
	}
	play.say("")
	return play, nil
}

// A DemoPlay goes through scenes.
type DemoPlay struct {
	*display.Session
	self   string
	scenes []demo.Scene
	says   atomic.Pointer[string]
}

// Line is what is happening now.
func (d *DemoPlay) Line() string { return *d.says.Load() }

func (d *DemoPlay) say(text string) {
	d.says.Store(&text)
	d.Notify()
}

// showMore says which key shows more of a scene, by its server.
var showMore = map[string]string{
	"healthy":       "enter opens a frame, T lists what the server offers",
	"pretty":        "! goes to the findings, e explains one",
	"huge-line":     "enter opens the frame, all 12 MB of it",
	"chatty":        "S goes to stderr",
	"slow":          "s shows latencies by method",
	"no-answer":     "the timer turns amber, then red",
	"crash":         "P shows the process and its last lines of stderr",
	"exit-on-probe": "P shows both processes",
	"ignores-eof":   "P shows who ended it",
}

// Run plays the scenes one after the other, until ctx ends.
func (d *DemoPlay) Run(ctx context.Context) error {
	for i, scene := range d.scenes {
		words := scene.Says
		if len(d.scenes) > 1 {
			more := showMore[scene.Name]
			if more == "" {
				more = "w goes to the finding"
			}
			words = fmt.Sprintf("%d/%d  %s  %s  ·  %s", i+1, len(d.scenes), scene.Name, scene.Says, more)
		}
		d.say(words)
		d.play(ctx, scene)
		if capture.Pause(ctx, scenePause) != nil {
			return nil
		}
	}
	if len(d.scenes) > 1 {
		d.say("That was the tour. w goes through the findings, ? lists the keys. Now your own server: wiretea run -- CMD ARGS…")
	} else {
		d.say(d.Line() + "  ·  w goes through the findings, ? lists the keys")
	}
	return nil
}

// play starts a scene's server and makes its calls. Errors are expected.
func (d *DemoPlay) play(ctx context.Context, scene demo.Scene) {
	_ = d.HangUp(ctx)
	d.Server().(*capture.Process).Argv = demoCommand(d.self, scene.Name)
	c, err := d.Connect(ctx)
	if err != nil {
		return
	}
	talk := &conversation{client: c, errw: io.Discard}
	if scene.Pace > 0 {
		talk.paced(ctx, scene.Calls, scene.Pace)
	} else {
		talk.each(ctx, scene.Calls)
	}
	talk.idle(ctx, scene.Linger)
	_ = d.HangUp(ctx)
}
