package composer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/client"
	"wiretea/session/text"
	"wiretea/ui/chart"
	"wiretea/ui/composer/form"
	"wiretea/ui/detail"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Bounds of a repetition.
const (
	mostTimes  = 100_000
	mostAtOnce = 256
)

// parseRepeat reads how often, and how many at once: "100", "100 4", "100 × 4",
// "100x4".
func parseRepeat(content string) (times, atOnce int, err error) {
	words := strings.FieldsFunc(content, func(r rune) bool { return strings.ContainsRune(" ×x*,", r) })
	numbers := []int{0, 1}
	ok := len(words) == 1 || len(words) == 2
	for i, w := range words[:min(len(words), 2)] {
		n, nerr := strconv.Atoi(w)
		ok = ok && nerr == nil && n > 0
		numbers[i] = n
	}
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("repeat TIMES [AT-ONCE]: %q is not that", content)
	case numbers[0] > mostTimes, numbers[1] > mostAtOnce:
		return 0, 0, fmt.Errorf("at most %s times, %d at once", text.Count(mostTimes), mostAtOnce)
	}
	return numbers[0], min(numbers[0], numbers[1]), nil
}

// A repetition makes a request over and over and measures the answers. It belongs
// to the command that runs it; who shows it takes a tally.
type repetition struct {
	title         string
	times, atOnce int
	stop          context.CancelFunc

	mu    sync.Mutex // mu guards what follows.
	tally tally
	all   []time.Duration
}

// A tally is how far a repetition is. It is a value: nobody changes it.
type tally struct {
	answered int
	errors   int // errors counts error answers, and tools that report one.
	took     time.Duration
	over     bool
	err      error // err is why it ended early, nil = it did not, or somebody stopped it.

	min, p50, p95, p99, max time.Duration
	bars                    []statistics.Bar
}

// A repeatedMsg says that a repetition has moved on.
type repeatedMsg struct {
	of    *repetition
	tally tally
}

// A work is what is repeated: one request, and its answer.
type work func(ctx context.Context) (*client.Reply, error)

// run makes the requests, and ends when all are answered, when one cannot be, or
// with ctx.
func (r *repetition) run(ctx context.Context, do work) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	turns := make(chan struct{}, r.times)
	for range r.times {
		turns <- struct{}{}
	}
	close(turns)
	begun := time.Now()
	var workers sync.WaitGroup
	for range r.atOnce {
		workers.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					r.fail(fmt.Errorf("internal error: %v", p))
					cancel()
				}
			}()
			for range turns {
				if ctx.Err() != nil {
					return
				}
				reply, err := do(ctx)
				if !r.take(reply, err, time.Since(begun)) {
					cancel()
				}
			}
		})
	}
	workers.Wait()
	r.mu.Lock()
	r.tally.took, r.tally.over = time.Since(begun), true
	r.mu.Unlock()
}

func (r *repetition) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tally.err == nil {
		r.tally.err = err
	}
}

// take counts an outcome. It reports false where no more of them make sense.
func (r *repetition) take(reply *client.Reply, err error, took time.Duration) bool {
	var answer *client.RPCError
	if err != nil && !errors.As(err, &answer) && !errors.Is(err, client.ErrTooLong) || reply == nil {
		if !errors.Is(err, context.Canceled) {
			r.fail(err)
		}
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, reply.Received.Sub(reply.Sent))
	r.tally.answered++
	r.tally.took = took
	if err != nil || string(recorder.Members(reply.Result)["isError"]) == "true" {
		r.tally.errors++
	}
	return true
}

// sum is the tally as it is, with its latencies.
func (r *repetition) sum() tally {
	r.mu.Lock()
	t, all := r.tally, slices.Clone(r.all)
	r.mu.Unlock()
	if len(all) == 0 {
		return t
	}
	slices.Sort(all)
	at := func(q float64) time.Duration { return all[min(len(all)-1, int(q*float64(len(all))))] }
	t.min, t.p50, t.p95, t.p99, t.max = all[0], at(.5), at(.95), at(.99), all[len(all)-1]
	ns := make([]int64, len(all))
	for i, d := range all {
		ns[i] = int64(d)
	}
	t.bars = statistics.Histogram(ns, statistics.MostBars)
	return t
}

// repeatPace is how often a repetition that runs is shown anew.
const repeatPace = 100 * time.Millisecond

// watch returns the command that waits a while for a repetition to move on.
func (r *repetition) watch() tea.Cmd {
	return tea.Tick(repeatPace, func(time.Time) tea.Msg { return repeatedMsg{r, r.sum()} })
}

// Repeat repeats the selected request: :repeat N [C].
func (c *Composer) Repeat(rest string) tea.Cmd {
	times, atOnce, err := parseRepeat(rest)
	peer := c.requests.Client()
	switch why := c.requests.NoRequest(); {
	case err != nil:
		return c.tab.Say(session.Error, err.Error())
	case why != "":
		return c.tab.Say(session.Error, why)
	case peer == nil:
		return c.tab.Say(session.Error, "only requests to a server that wiretea started are repeated")
	}
	t := c.tab
	snap, log := t.Ctx.Snap, t.Ctx.Log
	row := c.requests.Selected()
	what := c.requests.Named(snap.Row(row))
	return c.begin(what, times, atOnce, func() (work, error) {
		m, err := recorder.ReadRequest(log, snap, row)
		if err != nil {
			return nil, err
		}
		return calling(peer, recorder.Request{Method: m.Method, Params: detail.WithoutStamps(m.Params)}, client.Options{})
	})
}

// repeat repeats what is filled in.
func (c *Composer) repeat(p parcel, times, atOnce int) tea.Cmd {
	peer := c.requests.Client()
	if why := c.requests.Disabled(); why != "" || peer == nil {
		return c.tab.Say(session.Error, cmp.Or(why, "not connected to the server"))
	}
	return tea.Batch(c.remember(p), c.begin(p.recipe.title(), times, atOnce, func() (work, error) {
		m, plain := p.request()
		if !plain || p.mode == form.Malformed {
			return nil, errNoRepeat
		}
		return calling(peer, m, p.opts)
	}))
}

var errNoRepeat = errors.New("only a request with an id of ours can be repeated")

// calling is the work of making a request.
func calling(peer *client.Client, m recorder.Request, opts client.Options) (work, error) {
	if client.IsNotification(m.Method) {
		return nil, errNoRepeat
	}
	return func(ctx context.Context) (*client.Reply, error) { return peer.Do(ctx, m.Method, m.Params, opts) }, nil
}

// begin starts a repetition and shows it.
func (c *Composer) begin(title string, times, atOnce int, prepare func() (work, error)) tea.Cmd {
	ctx, stop := context.WithCancel(context.Background())
	r := &repetition{title: title, times: times, atOnce: atOnce, stop: stop}
	c.tab.Open(&repeatBox{of: r})
	run := func() tea.Msg {
		defer stop()
		do, err := prepare()
		if err != nil {
			r.fail(err)
			r.mu.Lock()
			r.tally.over = true
			r.mu.Unlock()
		} else {
			r.run(ctx, do)
		}
		return repeatedMsg{r, r.sum()}
	}
	return c.tab.Addressed(c, tea.Batch(run, r.watch()))
}

// takeRepeat shows how far a repetition is, and looks again while it runs.
func (c *Composer) takeRepeat(msg repeatedMsg) tea.Cmd {
	if b, ok := c.tab.Overlay().(*repeatBox); ok && b.of == msg.of && !b.tally.over {
		b.tally = msg.tally
		if !msg.tally.over {
			return msg.of.watch()
		}
		return nil
	}
	if !msg.tally.over {
		msg.of.stop() // nobody looks any more
	}
	return nil
}

// A repeatBox shows a repetition while it runs, and what it came to.
type repeatBox struct {
	of    *repetition
	tally tally
}

// NamesEscape implements overlay.Hinted.
func (b *repeatBox) NamesEscape() {}

// Title implements overlay.Box.
func (b *repeatBox) Title() string {
	words := fmt.Sprintf("repeat %s · %s × %d", text.Visible([]byte(b.of.title), 60), text.Count(int64(b.of.times)), b.of.atOnce)
	if !b.tally.over {
		return words + " · esc cancels"
	}
	return words
}

// Size implements overlay.Box.
func (b *repeatBox) Size(th *style.Theme, w, h int) (int, int) {
	w = min(w, 84)
	return w, min(h, len(b.lines(th, w-2))+2)
}

// Key implements overlay.Box.
func (b *repeatBox) Key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "q", "enter":
		return nil, b.tally.over
	case "y":
		heads, figures := b.cells()
		text := fmt.Sprintf("%s, %d answers of %d, %d at once\n%s\n%s\n", b.of.title, b.tally.answered, b.of.times, b.of.atOnce, strings.Join(heads, "\t"), strings.Join(figures, "\t"))
		return pane.Tell(pane.CopyMsg{What: "the latencies", Text: text}), false
	}
	return nil, false
}

// Escape implements overlay.Escaper: it cancels a repetition that runs.
func (b *repeatBox) Escape() bool {
	if b.tally.over {
		return false
	}
	b.of.stop()
	return true
}

// cells are the figures with their heads.
func (b *repeatBox) cells() (heads, cells []string) {
	t := &b.tally
	ms := func(d time.Duration) string { return text.Duration(int64(d)) }
	rate := "–"
	if t.took > 0 {
		r := float64(t.answered) / t.took.Seconds()
		if rate = text.Count(int64(r)) + "/s"; r < 10 {
			rate = fmt.Sprintf("%.1f/s", r)
		}
	}
	return []string{"min", "p50", "p95", "p99", "max", "rate", "errors"},
		[]string{ms(t.min), ms(t.p50), ms(t.p95), ms(t.p99), ms(t.max), rate, text.Count(int64(t.errors))}
}

// View implements overlay.Box.
func (b *repeatBox) View(th *style.Theme, w, h int) []string {
	lines := b.lines(th, w)
	return lines[:min(len(lines), h)]
}

func (b *repeatBox) lines(th *style.Theme, w int) []string {
	t := &b.tally
	lines := []string{b.progress(th, w), ""}
	heads, figures := b.cells()
	wide := max(6, min(10, (w-2)/len(heads)))
	row := func(parts []string, paint func(i int, text string) string) string {
		var line strings.Builder
		for i, part := range parts {
			line.WriteString(cells.Spaces(max(1, wide-cells.Width(part))) + paint(i, part))
		}
		return cells.Fit(line.String(), w)
	}
	lines = append(lines, row(heads, func(_ int, text string) string { return th.Dim.Paint(text) }))
	lines = append(lines, row(figures, func(i int, text string) string {
		if i == len(figures)-1 && t.errors > 0 {
			return th.Error.Paint(text)
		}
		return th.Strong.Paint(text)
	}), "")
	lines = append(lines, chart.Histogram(th, t.bars, []chart.Mark{{Name: "p50", Value: int64(t.p50)}, {Name: "p95", Value: int64(t.p95)}, {Name: "p99", Value: int64(t.p99)}}, w, statistics.MostBars)...)
	if t.err != nil {
		lines = append(lines, "", th.Error.Paint(cells.Fit(" ✖ ended early: "+text.OneLine(t.err.Error()), w)))
	}
	if t.over {
		lines = append(lines, "", " "+th.Accent.Paint("esc")+th.Dim.Paint(" closes · ")+th.Accent.Paint("y")+th.Dim.Paint(" copies the figures"))
	}
	return lines
}

// progress is a bar of what is answered.
func (b *repeatBox) progress(th *style.Theme, w int) string {
	t := &b.tally
	words := fmt.Sprintf(" %s of %s answered", text.Count(int64(t.answered)), text.Count(int64(b.of.times)))
	if t.over {
		words += " in " + text.Duration(int64(t.took))
		if t.answered < b.of.times {
			words += " · cancelled"
		}
	}
	room := w - cells.Width(words) - 3
	if room < 8 {
		return cells.Fit(th.Text.Paint(words), w)
	}
	full := room * t.answered / b.of.times
	return cells.Fit(" "+th.OK.Paint(strings.Repeat("━", full))+th.Dim.Paint(strings.Repeat("─", room-full))+th.Text.Paint(words), w)
}
