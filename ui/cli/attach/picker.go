package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/list"
	"wiretea/ui/style"
)

// ErrNoneChosen is returned when the user leaves the list.
var errNoneChosen = errors.New("no session was chosen")

// Run shows live sessions until the user chooses one, and returns the path of its file.
// look finds those that are live now; it is called each second. restyle returns the
// theme for a dark or a light background. Run fails with ErrNoneChosen, or with what the
// terminal does.
func pick(ctx context.Context, bound keys.Map, restyle func(dark bool) *style.Theme, live []capture.LiveSession, look func() ([]capture.LiveSession, error)) (string, error) {
	p := &picker{keys: bound, restyle: restyle, theme: restyle(true), look: func() looked { return tabulate(look()) }}
	p.take(tabulate(live, nil))
	return p.run(ctx)
}

// A picker is a list of live sessions to choose from. It looks again each second.
type picker struct {
	keys    keys.Map
	look    func() looked // look finds the sessions that are live now, and takes its time.
	restyle func(dark bool) *style.Theme
	theme   *style.Theme

	live   []capture.LiveSession
	rows   []string // rows are the sessions in words, the first line what they mean.
	list   list.List
	w, h   int
	wrong  string // wrong is why the list is not what it should be, empty = it is.
	chosen string // chosen is the file of the one that was, empty while none is.
}

// run shows the list until one is chosen.
func (p *picker) run(ctx context.Context) (string, error) {
	_, err := tea.NewProgram(p, tea.WithoutSignalHandler(), tea.WithContext(ctx)).Run()
	switch {
	case ctx.Err() != nil:
		return "", errNoneChosen
	case err != nil && !errors.Is(err, tea.ErrInterrupted):
		return "", fmt.Errorf("showing the live sessions: %w", err)
	case p.chosen == "":
		return "", errNoneChosen
	}
	return p.chosen, nil
}

// A looked brings the sessions that are live now, and their table.
type looked struct {
	live []capture.LiveSession
	rows []string
	err  error
}

// tabulate orders them by their start, the latest first: that does not change while
// somebody chooses.
func tabulate(live []capture.LiveSession, err error) looked {
	slices.SortStableFunc(live, func(a, b capture.LiveSession) int { return b.Header.T0.Compare(a.Header.T0) })
	return looked{live, inventory.LiveTable(live, time.Now()), err}
}

// later looks again in a while.
func (p *picker) later() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return p.look() })
}

// Init implements tea.Model.
func (p *picker) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, p.later()) }

// Update implements tea.Model.
func (p *picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.w, p.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		p.theme = p.restyle(msg.IsDark())
	case looked:
		if p.wrong = ""; msg.err != nil {
			p.wrong = msg.err.Error()
			return p, p.later()
		}
		p.take(msg)
		return p, p.later()
	case tea.KeyPressMsg:
		return p, p.key(msg.String())
	}
	return p, nil
}

// key moves, chooses, or leaves.
func (p *picker) key(name string) tea.Cmd {
	action, _ := p.keys.Lookup(name, keys.Traffic)
	switch {
	case p.list.Do(keys.Unplayed(action), len(p.live)):
	case action == keys.Enter && p.list.At < len(p.live):
		p.chosen = p.live[p.list.At].Path
		return tea.Quit
	case action == keys.Escape, action == keys.Back, action == keys.Quit:
		return tea.Quit
	case action == keys.Suspend:
		return tea.Suspend
	}
	return nil
}

// take shows other sessions, and stays with the one under the cursor.
func (p *picker) take(now looked) {
	at := ""
	if p.list.At < len(p.live) {
		at = p.live[p.list.At].Path
	}
	for i, l := range now.live {
		if l.Path == at {
			p.list.At = i
		}
	}
	p.live, p.rows = now.live, now.rows
}

// View implements tea.Model.
func (p *picker) View() tea.View {
	v := tea.NewView(strings.Join(p.lines(), "\n"))
	v.AltScreen, v.WindowTitle = true, "wiretea · attach"
	return v
}

// pickFrame is how many lines stand around the list.
const pickFrame = 4

func (p *picker) lines() []string {
	w, h, th := p.w, p.h, p.theme
	if w < 1 || h <= pickFrame {
		return cells.Lines([]string{"wiretea: too small"}, max(0, w), max(0, h))
	}
	head := text.Plural(int64(len(p.live)), "session") + " are live: which one?"
	switch len(p.live) {
	case 0:
		head = "no session is live any more"
	case 1:
		head = "one session is live"
	}
	lines := []string{" " + th.Accent.Paint("wiretea") + "  " + th.Strong.Paint(head), th.Dim.Paint(cells.Fit("   "+p.rows[0], w))}
	from, to := p.list.Fit(len(p.live), h-pickFrame)
	for i := from; i < to; i++ {
		sign, style := "   ", th.Text
		if i == p.list.At {
			sign, style = " ▸ ", th.Selected
		}
		lines = append(lines, style.Paint(cells.Fit(sign+p.rows[i+1], w)))
	}
	lines = cells.Lines(lines, w, h-1)
	if p.wrong != "" {
		return append(lines, th.Error.Paint(cells.Fit(" ✖ "+text.Visible([]byte(strings.Join(strings.Fields(p.wrong), " ")), 0), w)))
	}
	hint := func(key, words string) string { return "  " + th.Accent.Paint(key) + th.Dim.Paint(" "+words) }
	return append(lines, cells.Fit(hint("j k", "move")+hint("enter", "attach")+hint("esc", "leave"), w))
}
