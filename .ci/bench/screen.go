//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"wiretea/ui/termtest"
)

// patient is how long a measurement waits for what must come.
const patient = 60 * time.Second

// A screenBench measures a program's screen.
type screenBench struct {
	ctx    context.Context
	o      benchOptions
	env    []string
	files  benchFiles
	report *benchReport
	says   io.Writer
	rand   *rand.Rand
}

// benchScreen measures what is wanted. What fails is left out of the report, and
// is in the error.
func benchScreen(ctx context.Context, o benchOptions, says io.Writer) (*benchReport, error) {
	home, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	dir := home
	if o.keep != "" {
		dir = o.keep
	}
	fmt.Fprintln(says, "making files")
	files, err := makeBenchFiles(dir, o)
	if err != nil {
		return nil, err
	}
	b := &screenBench{ctx: ctx, o: o, env: []string{"HOME=" + home}, files: files, report: newBenchReport(o), says: says, rand: rand.New(rand.NewPCG(1, 2))}
	var failed []error
	for _, part := range []struct {
		name string
		run  func(name string) error
	}{
		{"first screen: demo server", b.firstRun},
		{"first screen: small recording", func(name string) error { return b.firstOpen(name, files.small, 10) }},
		{"first screen: large recording", func(name string) error { return b.firstOpen(name, files.large, 3) }},
		{"key: small recording", func(name string) error { return b.keysInFile(name, files.small) }},
		{"key: large recording", func(name string) error { return b.keysInFile(name, files.large) }},
		{"key: timeline of the large recording", func(name string) error { return b.keysInTimeline(name, files.large) }},
		{"key: 50,000 frames/s arrive", b.keysInFlood},
		{"key: a filter searches the bodies", b.keysInFilter},
		{"key: a large body opens", b.keysInBody},
		{"key: a merged list is sorted", b.keysInSort},
		{"idle: recording", func(name string) error { return b.idle(name, "open", files.small) }},
		{"idle: live", func(name string) error { return b.idle(name, b.live("healthy")...) }},
	} {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !b.wanted(part.name) {
			continue
		}
		fmt.Fprintln(says, part.name)
		if err := part.run(part.name); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	b.report.Load[1] = loadAverage()
	return b.report, errors.Join(failed...)
}

func (b *screenBench) wanted(name string) bool {
	for _, word := range b.o.only {
		if strings.Contains(name, word) {
			return true
		}
	}
	return len(b.o.only) == 0
}

func (b *screenBench) add(lines ...benchLine) {
	b.report.Measures = append(b.report.Measures, lines...)
}

// live are the arguments that run a behaviour of the demo, with calls made.
func (b *screenBench) live(server string, calls ...string) []string {
	args := []string{"run", "--no-record", "--era", "legacy"}
	for _, call := range calls {
		args = append(args, "--send", call)
	}
	return append(args, "--", measured, "demo", "--server", server)
}

func (b *screenBench) start(args ...string) (*termtest.Pty, error) {
	return termtest.StartPty(b.o.width, b.o.height, termtest.Options{Sync: true}, b.env, append([]string{measured}, args...)...)
}

// framed reports whether the screen is drawn.
func framed(t *termtest.Terminal) bool { return strings.Contains(t.String(), "╰") }

// showing returns whether a text is shown.
func showing(text string) func(*termtest.Terminal) bool {
	return func(t *termtest.Terminal) bool { return strings.Contains(t.String(), text) }
}

// firsts starts the program some times, and takes the time to what it shows.
func (b *screenBench) firsts(name string, n int, shown []string, args ...string) error {
	frame, rest := []time.Duration{}, make([][]time.Duration, len(shown))
	for range n {
		p, err := b.start(args...)
		if err != nil {
			return err
		}
		at, err := p.Until(patient, framed)
		frame = append(frame, at.Sub(p.Started))
		for i := 0; err == nil && i < len(shown); i++ {
			at, err = p.Until(patient, showing(shown[i]))
			rest[i] = append(rest[i], at.Sub(p.Started))
		}
		if err := errors.Join(err, p.Quit()); err != nil {
			return err
		}
	}
	b.add(times(name, frame))
	for i, text := range shown {
		b.add(times(name+": "+fmt.Sprintf("%q", text), rest[i]))
	}
	return nil
}

func (b *screenBench) firstRun(name string) error {
	return b.firsts(name, 10, []string{"initialize"}, b.live("healthy")...)
}

// firstOpen opens a recording: the first screen, and when all of it was read.
func (b *screenBench) firstOpen(name, file string, n int) error {
	if err := b.firsts(name, n, []string{"exit code 0"}, "open", file); err != nil {
		return err
	}
	p, err := b.start("open", file)
	if err != nil {
		return err
	}
	_, err = p.Until(patient, showing("exit code 0"))
	b.memory(name, p)
	return errors.Join(err, p.Quit())
}

func (b *screenBench) memory(name string, p *termtest.Pty) {
	now, most := p.Memory()
	b.add(single(name+": memory", "MB", float64(now)/1e6), single(name+": memory at most", "MB", float64(most)/1e6))
}

// selected is the row that the cursor of traffic is in: the first one with a
// background.
func selected(t *termtest.Terminal) int {
	_, h := t.Size()
	for y := 1; y < h; y++ {
		if _, style := t.Cell(2, y); style.Bg != 0 {
			return y
		}
	}
	return -1
}

// corners is how the upper corners of panes look: it tells which has the focus.
func corners(t *termtest.Terminal) string {
	var s strings.Builder
	w, h := t.Size()
	for y := range h {
		for x := range w {
			if text, style := t.Cell(x, y); text == "╭" {
				s.WriteString(style.String() + "|")
			}
		}
	}
	return s.String()
}

// press presses a key and takes the time until what it changes has changed.
func press[T comparable](p *termtest.Pty, key string, what func(*termtest.Terminal) T) (time.Duration, error) {
	var before T
	p.Look(func(t *termtest.Terminal) { before = what(t) })
	begin := time.Now()
	if err := p.Keys(key); err != nil {
		return 0, err
	}
	at, err := p.Until(patient, func(t *termtest.Terminal) bool { return what(t) != before })
	if err != nil {
		return 0, fmt.Errorf("pressing %s: %w", key, err)
	}
	return at.Sub(begin), nil
}

// pause lets a moment pass, as between the keys of someone who types, so that
// keys fall anywhere between two frames.
func (b *screenBench) pause() {
	time.Sleep(15*time.Millisecond + time.Duration(b.rand.Int64N(int64(25*time.Millisecond))))
}

// moves moves the cursor of traffic up and down.
func (b *screenBench) moves(name string, p *termtest.Pty) error {
	if err := p.Keys("g"); err != nil {
		return err
	}
	if _, err := p.Until(patient, func(t *termtest.Terminal) bool { return selected(t) > 0 }); err != nil {
		return fmt.Errorf("waiting for a selected row: %w", err)
	}
	time.Sleep(200 * time.Millisecond)
	var all []time.Duration
	for i := range b.o.keys {
		key := "j"
		if i/8%2 == 1 {
			key = "k"
		}
		took, err := press(p, key, selected)
		if err != nil {
			return err
		}
		all = append(all, took)
		b.pause()
	}
	b.add(times(name, all))
	return nil
}

func (b *screenBench) keysInFile(name, file string) error {
	p, err := b.start("open", file)
	if err != nil {
		return err
	}
	if _, err = p.Until(patient, showing("exit code 0")); err == nil {
		err = b.moves(name, p)
	}
	return errors.Join(err, p.Quit())
}

// keysInTimeline moves the cursor of the timeline, after the time that it takes to open.
func (b *screenBench) keysInTimeline(name, file string) error {
	p, err := b.start("open", file)
	if err != nil {
		return err
	}
	if _, err = p.Until(patient, showing("exit code 0")); err == nil {
		begin := time.Now()
		if err = p.Keys("t"); err == nil {
			var at time.Time
			if at, err = p.Until(patient, showing(" requests · ")); err == nil {
				b.add(times(name+": opens", []time.Duration{at.Sub(begin)}))
				err = b.moves(name, p)
			}
		}
	}
	return errors.Join(err, p.Quit())
}

// keysInFlood moves the cursor while frames pour in.
func (b *screenBench) keysInFlood(name string) error {
	p, err := b.start(b.live("flood", `tools/call {"name":"echo"}`)...)
	if err != nil {
		return err
	}
	if _, err = p.Until(patient, showing("notifications/message")); err != nil {
		return errors.Join(err, p.Quit())
	}
	begin, used, drawn := time.Now(), p.Cpu(), p.Count()
	first := b.rowsShown(p)
	err = b.moves(name, p)
	span := time.Since(begin)
	rate := float64(b.rowsShown(p)-first) / span.Seconds()
	b.add(single(name+": frames taken in a second", "", rate),
		single(name+": CPU", "%", percent(p.Cpu()-used, span)),
		single(name+": redraws a second", "", float64(p.Count()-drawn)/span.Seconds()))
	b.memory(name, p)
	return errors.Join(err, p.Quit())
}

func percent(used, span time.Duration) float64 { return 100 * used.Seconds() / span.Seconds() }

// rowsShown is the number in the title of the traffic pane.
func (b *screenBench) rowsShown(p *termtest.Pty) int {
	n := 0
	p.Look(func(t *termtest.Terminal) {
		for _, line := range t.Screen() {
			if _, title, ok := strings.Cut(line, " traffic "); ok {
				title, _, _ = strings.Cut(title, "╮")
				for _, c := range strings.Split(title, " · ")[0] {
					if c >= '0' && c <= '9' {
						n = n*10 + int(c-'0')
					}
				}
				return
			}
		}
	})
	return n
}

// keysInFilter changes the focus while a filter reads all bodies, and takes the
// time a filter needs.
func (b *screenBench) keysInFilter(name string) error {
	p, err := b.start("open", b.files.large)
	if err != nil {
		return err
	}
	if _, err = p.Until(patient, showing("exit code 0")); err != nil {
		return errors.Join(err, p.Quit())
	}
	var keys, filters []time.Duration
	for i := 0; i < 5 && err == nil; i++ {
		var k []time.Duration
		var took time.Duration
		k, took, err = b.filterOnce(p, fmt.Sprintf("no-such-text-%d", i))
		keys, filters = append(keys, k...), append(filters, took)
	}
	b.add(times(name, keys), times(name+": time to the last row", filters))
	b.memory(name, p)
	return errors.Join(err, p.Quit())
}

// filterOnce sets a filter that matches nothing and presses keys until it has
// looked at everything.
func (b *screenBench) filterOnce(p *termtest.Pty, word string) (keys []time.Duration, took time.Duration, err error) {
	err = p.Keys("f")
	if err == nil {
		time.Sleep(50 * time.Millisecond)
		err = p.Typed("\x15" + word)
	}
	if err == nil {
		_, err = p.UntilText(patient, word)
	}
	begin := time.Now()
	if err == nil {
		err = p.Keys("enter")
	}
	for err == nil {
		var k time.Duration
		k, err = press(p, "tab", corners)
		keys = append(keys, k)
		done := false
		p.Look(func(t *termtest.Terminal) { done = filtered(t) })
		if took = time.Since(begin); done || took > patient {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return keys, took, err
}

// filtered reports whether a filter that matches nothing is through.
func filtered(t *termtest.Terminal) bool {
	for _, line := range t.Screen() {
		if _, title, ok := strings.Cut(line, " traffic "); ok {
			title, _, _ = strings.Cut(title, "╮")
			return strings.Contains(title, " 0 ") && !strings.Contains(title, "%")
		}
	}
	return false
}

// keysInBody opens a large body, takes the time until it is there, and changes
// the focus meanwhile.
func (b *screenBench) keysInBody(name string) error {
	var keys, opens []time.Duration
	for range 3 {
		p, err := b.start("open", b.files.body)
		if err != nil {
			return err
		}
		_, err = p.UntilText(patient, "everything")
		if err == nil {
			err = p.Keys("G")
		}
		begin := time.Now()
		for shown := false; err == nil && !shown; {
			var k time.Duration
			k, err = press(p, "tab", corners)
			keys = append(keys, k)
			p.Look(func(t *termtest.Terminal) { shown = strings.Contains(t.String(), "quick brown") })
			if shown {
				opens = append(opens, time.Since(begin))
			} else if time.Since(begin) > patient {
				err = termtest.ErrPtyLate
			}
		}
		if err == nil && len(opens) == 3 {
			b.memory(name, p)
		}
		if err = errors.Join(err, p.Quit()); err != nil {
			return err
		}
	}
	b.add(times(name, keys), times(name+": the body is shown", opens))
	return nil
}

// idle leaves the program alone and looks what it does.
func (b *screenBench) idle(name string, args ...string) error {
	p, err := b.start(args...)
	if err != nil {
		return err
	}
	if _, err = p.Until(patient, framed); err != nil {
		return errors.Join(err, p.Quit())
	}
	time.Sleep(2 * time.Second)
	const span = 10 * time.Second
	begin, used, drawn := time.Now(), p.Cpu(), p.Count()
	select {
	case <-b.ctx.Done():
	case <-time.After(span):
	}
	passed := time.Since(begin)
	b.add(single(name+": CPU", "%", percent(p.Cpu()-used, passed)),
		single(name+": redraws a second", "", float64(p.Count()-drawn)/passed.Seconds()))
	b.memory(name, p)
	return errors.Join(err, p.Quit())
}

// takePicture plays the demo until a moment worth showing and writes it down.
func takePicture(ctx context.Context, file string, o pictureOptions) error {
	home, err := os.MkdirTemp("", "wiretea-picture")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	argv := append([]string{measured}, o.command...)
	p, err := termtest.StartPty(o.width, o.height, termtest.Options{Light: o.light}, []string{"HOME=" + home}, argv...)
	if err != nil {
		return err
	}
	_, err = p.UntilText(patient, o.until)
	for _, key := range o.keys {
		if err == nil {
			err = errors.Join(p.Keys(key), sleepFor(ctx, 150*time.Millisecond))
		}
	}
	if err == nil {
		err = sleepFor(ctx, o.settle)
	}
	if err != nil {
		return errors.Join(err, p.End())
	}
	colours := &termtest.DarkPalette
	if o.light {
		colours = &termtest.LightPalette
	}
	var svg strings.Builder
	p.Look(func(t *termtest.Terminal) {
		err = termtest.SVG(&svg, t, termtest.Picture{Colours: colours, Title: o.title})
	})
	if err = errors.Join(err, p.End()); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(svg.String()), 0o644); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

func sleepFor(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
