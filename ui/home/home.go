package home

import (
	"context"
	"errors"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

// Options say what home lives on.
type Options struct {
	Finder Finder
	Editor Editor
	Theme  *style.Theme
	Now    func() time.Time // Now is the wall clock; nil = time.Now.

	// Compare returns the differences of two recordings, in lines for a terminal; nil = they
	// cannot be compared.
	Compare func(ctx context.Context, old, new string) ([]string, error)

	Settings config.Settings
}

// A Home is the first screen. Its methods are called by one goroutine.
type Home struct {
	opt   Options
	theme *style.Theme
	keys  keys.Map

	inv    *inventory.Inventory // inv is nil until the first Look.
	rows   []row
	shown  []int  // shown are the rows that the filter lets through.
	lines  []line // lines are the list's,
	lineOf []int  // and lineOf is the line of each row that is shown.
	count  [numKinds]int
	filter string

	order    int  // order is the index in orders of how the recordings are sorted.
	reversed bool // reversed: the order is reversed.

	at    int  // at is the row under the cursor, among those shown.
	top   int  // top is the first line of the list that is shown.
	high  int  // high is how many lines of it are shown.
	moved bool // moved: the user has moved the cursor.
	tight bool // tight: there is no room for blank lines.

	nameW, clientW, pidW int // nameW, clientW and pidW are the widths of the longest texts; pidW is 0 where nothing is live.

	prompt *textinput.Model   // prompt is where the filter is typed; nil = it is not.
	launch *textinput.Model   // launch is where a command is typed; nil = it is not.
	sheet  *sheet             // sheet is a command or a change to be agreed to, or a difference; nil = none.
	help   *keyhelp.Box       // help is open, or nil.
	asked  *inventory.Session // asked is the session that the user is asked about deleting; nil = none.
	waits  bool               // waits: a sheet is being made.
	busy   string             // busy is what is being done; empty = nothing.
	notice notice

	launched string   // launched is the command that was typed last.
	marked   []string // marked are the files of the marked recordings, at most two.

	turn    int                // turn tells the answers to this stay from those to earlier ones.
	serial  int                // serial tells the latest wait for the next look from earlier ones.
	looking bool               // looking: a Look of this turn is on its way.
	tried   map[string]bool    // tried are the recordings that were given to be judged.
	judging bool               // judging: one of them is being judged.
	stop    context.CancelFunc // stop ends the commands of this turn.
	ctx     context.Context    // ctx is of this turn.

	clicks pane.Clicks

	after func(time.Duration, tea.Msg) tea.Cmd // after is a message in a while.
}

// A notice is a line in the footer.
type notice struct {
	text     string
	severity session.Severity
	serial   int // serial tells an old notice's end from this one's.
}

// New returns a home that has looked at nothing yet.
func New(opt Options) *Home {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	bound, _ := keys.Rebind(opt.Settings.Keys) // whoever read the settings has said what is wrong with them
	return &Home{opt: opt, theme: opt.Theme, keys: bound, tried: map[string]bool{}, after: func(d time.Duration, msg tea.Msg) tea.Cmd {
		return tea.Tick(d, func(time.Time) tea.Msg { return msg })
	}}
}

// An answer takes, in Update, what a command of home's has found.
type answer func() tea.Cmd

// pause is the time between two looks.
const pause = time.Second

// Begin looks around, and goes on until Leave. It is called when home is shown,
// for the first time or again.
func (h *Home) Begin() tea.Cmd {
	h.Leave()
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.looking, h.judging, h.waits = false, false, false
	return h.look()
}

// Leave ends what Begin began: home is not shown any more.
func (h *Home) Leave() {
	h.turn++
	h.serial++
	if h.stop != nil {
		h.stop()
	}
}

// Refresh looks around at once, where home is shown.
func (h *Home) Refresh() tea.Cmd {
	if h.ctx == nil || h.ctx.Err() != nil {
		return nil
	}
	return h.look()
}

// Restyle changes the theme.
func (h *Home) Restyle(th *style.Theme) { h.theme = th }

// look asks the Finder, unless it is being asked.
func (h *Home) look() tea.Cmd {
	if h.looking {
		return nil
	}
	h.looking = true
	turn, ctx, finder := h.turn, h.ctx, h.opt.Finder
	return func() tea.Msg {
		inv, more := finder.Look(ctx)
		return answer(func() tea.Cmd { return h.looked(turn, inv, more) })
	}
}

// Update takes a message that is neither a key nor of the mouse: the answers to
// home's own commands, and a pane.Say.
func (h *Home) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case answer:
		return msg()
	case pane.SayMsg:
		return h.Say(msg.Severity, msg.Text)
	}
	return nil
}

func (h *Home) looked(turn int, inv *inventory.Inventory, more bool) tea.Cmd {
	if turn != h.turn {
		return nil
	}
	h.looking = false
	if inv != h.inv && inv != nil {
		h.take(inv)
	}
	if more {
		return tea.Batch(h.look(), h.judge())
	}
	h.serial++
	serial := h.serial
	return tea.Batch(h.judge(), h.after(pause, answer(func() tea.Cmd {
		if serial != h.serial {
			return nil
		}
		return h.look()
	})))
}

// judge has the next recording judged that is seen and of which little is known.
func (h *Home) judge() tea.Cmd {
	if h.judging {
		return nil
	}
	for line := h.top; line < h.top+h.high; line++ {
		i := h.rowAt(line)
		if i < 0 || h.rows[h.shown[i]].kind != recording {
			continue
		}
		s := h.rows[h.shown[i]].session
		if s.Judged || s.Fault != "" || h.tried[s.Path] {
			continue
		}
		h.tried[s.Path], h.judging = true, true
		turn, ctx, finder, path := h.turn, h.ctx, h.opt.Finder, s.Path
		return func() tea.Msg {
			err := finder.Judge(ctx, path)
			return answer(func() tea.Cmd {
				if errors.Is(err, context.Canceled) {
					delete(h.tried, path)
				}
				if turn != h.turn {
					return nil
				}
				h.judging = false
				return tea.Batch(h.look(), h.judge())
			})
		}
	}
	return nil
}

// Say shows a line in the footer for a while.
func (h *Home) Say(severity session.Severity, text string) tea.Cmd {
	if text == "" {
		return nil
	}
	h.notice = notice{text: text, severity: severity, serial: h.notice.serial + 1}
	serial := h.notice.serial
	return h.after(h.opt.Settings.NoticeFor(severity), answer(func() tea.Cmd {
		if serial == h.notice.serial {
			h.notice.text = ""
		}
		return nil
	}))
}

// Busy says what is being done until the next key, or until Idle.
func (h *Home) Busy(what string) { h.busy = what }

// Idle says that what Busy announced is done.
func (h *Home) Idle() { h.busy = "" }
