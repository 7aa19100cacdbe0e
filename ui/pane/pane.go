package pane

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/source"
	"wiretea/ui/style"
)

// A Context is what every pane reads. It belongs to the screen, which changes it
// between calls only; a pane neither keeps nor changes it. What a command needs
// of it is taken out before the command runs.
type Context struct {
	Snap  *session.Snapshot // Snap is the session as it is; never nil.
	Log   recorder.Log      // Log is where bodies are read, in commands only.
	Theme *style.Theme
	Keys  keys.Map // Keys say which keys do what.
	Live  bool     // Live: the session goes on, timers run.
	Lived bool     // Lived: it went on while it was watched.
	Now   int64    // Now is the session's time in nanoseconds, for timers.

	Header *session.Header // Header is the session's; nil before it was read.

	Launcher string // Launcher is the package manager that has not started the server yet; empty = none is known.

	Held []session.Held // Held are the messages that are held on their way, nil where that is not known; it is replaced, never changed.

	Attached *source.Attachment // Attached says whose session it is, where another process has it; nil = our own, or a recording.

	Past    bool // Past: Snap is a moment of a session that is over; Now is its time, and Live: it went on then.
	Paused  bool // Paused: Snap is held still.
	Backlog int  // Backlog counts the rows that came since.

	Unseen bool // Unseen: the pane of details is not in sight, and need not read anything.

	Graphics bool // Graphics: the terminal draws the images that panes have, and their cells are blank.

	Cursor uint32 // Cursor is the row under traffic's cursor, session.NoRow for none.
	Time   TimeStyle
	Search Search

	Colours []RowColour // Colours are rules for the colours of rows; it is replaced, never changed.

	Silenced []string // Silenced are the rules that were silenced; it is replaced, never changed.
}

// A RowColour is a rule: rows that its filter selects look like that.
type RowColour struct {
	Filter *filter.Filter
	Look   style.Style
}

// NoPair says why a row has no request or response to go to; empty where pair is its row.
func NoPair(row uint32, r session.Row, pair uint32) string {
	switch {
	case row == session.NoRow:
		return "no row is selected"
	case pair != session.NoRow:
		return ""
	case r.Kind == session.RowRequest && r.Flags&session.FlagCancelled != 0:
		return "the request was cancelled"
	case r.Kind == session.RowRequest && r.Flags&session.FlagLost != 0:
		return "the connection ended without a response"
	case r.Kind == session.RowRequest:
		return "no response yet"
	case r.Kind == session.RowResult || r.Kind == session.RowError:
		return "no request has this id"
	}
	return "only requests and responses have a pair"
}

// HTTP reports whether the session is one over HTTP, which has no process of its own.
func (c *Context) HTTP() bool { return c.Header != nil && c.Header.Trans == "http" }

// Since is the first connection of the server's latest start: that of the start, or of
// the probe before it; over HTTP that of our latest session. It is 0 for what is not watched as
// it happens, and for the clients of a proxy, whose connections are side by side.
func (c *Context) Since() int {
	now := c.Snap.LastConn()
	if !c.Lived || now == nil || c.HTTP() && !now.Ours {
		return 0
	}
	if conns := c.Snap.Conns(); len(conns) > 1 && now.ProbeT == 0 {
		if before := &conns[len(conns)-2]; before.Ours && before.Phase == session.PhaseProbing {
			return before.ID
		}
	}
	return now.ID
}

// ClockForm is how the time of day is written.
const ClockForm = "15:04:05.000"

// Clock writes the time of day at a time of the session; empty where it is not
// known.
func (c *Context) Clock(t int64) string {
	if c.Header == nil || c.Header.T0.IsZero() {
		return ""
	}
	return c.Header.T0.Add(time.Duration(t)).Local().Format(ClockForm)
}

// Wall is the wall clock at Now; the zero time where the session has not begun.
func (c *Context) Wall() time.Time {
	if c.Header == nil || c.Header.T0.IsZero() {
		return time.Time{}
	}
	return c.Header.T0.Add(time.Duration(c.Now))
}

// When writes a time of the session as Time wants it. before is the time of the row
// before, for Delta.
func (c *Context) When(t, before int64) string {
	switch c.Time {
	case Absolute:
		if clock := c.Clock(t); clock != "" {
			return clock
		}
	case Delta:
		return "+" + text.Seconds(max(0, t-before))
	case SinceMark:
		if since, ok := c.sinceMark(t); ok {
			return "+" + text.Seconds(since)
		}
	case Relative:
	}
	return text.Seconds(t)
}

// HasMarks reports whether a row is marked.
func (c *Context) HasMarks() bool {
	_, ok := c.Snap.LastMark(func(int64) bool { return false })
	return ok
}

// sinceMark is how long a time is after the last marked row before it; false where none is marked
// there.
func (c *Context) sinceMark(t int64) (since int64, ok bool) {
	at, ok := c.Snap.LastMark(func(own int64) bool { return own > t })
	return t - at, ok
}

// A Pane draws a part of the screen and carries out what is asked of it.
type Pane interface {
	// Do carries out an action. It reports false for one that is not the pane's.
	Do(c *Context, a keys.Action) (tea.Cmd, bool)

	// Disabled says in a few words why an action of the pane's cannot be carried
	// out now; empty = it can.
	Disabled(c *Context, a keys.Action) string

	// Update takes a message that is not a key: those below, and the results of
	// the pane's own commands. No pane sees the results of another's.
	Update(c *Context, msg tea.Msg) tea.Cmd

	// View draws the inside of the pane: exactly h lines of w cells. w and h are
	// at least 1. It changes nothing but caches.
	View(c *Context, w, h int, focus bool) []string

	// Title returns what is in the pane's upper border, left and right, unstyled
	// or styled.
	Title(c *Context) (left, right string)
}

// TimeStyle is how times are written.
type TimeStyle uint8

const (
	Relative  TimeStyle = iota // Relative: seconds since the session began.
	Absolute                   // Absolute: the time of day.
	Delta                      // Delta: since the row before.
	SinceMark                  // SinceMark: since the marked row before; without one, since the session began.
)

// A Search is what is searched for in raw bytes. The zero Search is none.
type Search struct {
	Text string // Text is the literal that is looked for, without regard to case.
}

// Messages that the screen gives to all panes.
type (
	// MovedMsg: the Context has a new snapshot, or time has passed.
	MovedMsg struct{}

	// ShownMsg: the pane's page is open. It comes when that opens, and as often as MovedMsg
	// while it is.
	ShownMsg struct{}

	// CursorMovedMsg: Context.Cursor has changed.
	CursorMovedMsg struct{}

	// SentMsg: a request of the user is in the session.
	SentMsg struct{}

	// FilteredMsg: the filter of traffic has changed; nil = all rows.
	FilteredMsg struct{ Filter *filter.Filter }

	// RestyledMsg: Context.Theme, Time or Search has changed; drop what was drawn.
	RestyledMsg struct{}
)

// Messages of the mouse, given to the pane under it. X and Y are cells from the
// inside's upper left corner.
type (
	// ClickMsg is the left button; Double: the second within a moment.
	ClickMsg struct {
		X, Y   int
		Double bool
	}

	// WheelMsg turned by Lines, downwards positive.
	WheelMsg struct{ Lines int }
)

// Messages with which a pane asks the screen for something: it returns them from
// a command.
type (
	// GotoMsg moves the cursor of traffic to a row, and shows it.
	GotoMsg struct{ Row uint32 }

	// PointMsg moves the cursor of traffic to a row, as GotoMsg does. The page that is open
	// stays.
	PointMsg struct {
		Row   uint32
		Stale func() bool // Stale, unless nil, reports in Update whether the pane has gone on meanwhile: then nothing is done.
	}

	// CopyMsg puts text on the clipboard. What names it in the notice: "value".
	CopyMsg struct{ What, Text string }

	// NotedMsg: a row was marked or its mark was taken off; Text is what was said about
	// it. It is to be kept.
	NotedMsg struct {
		Row  uint32
		Mark bool
		Text string
	}

	// EditMsg opens bytes in $EDITOR. Name gives the file's ending: "frame-12.json". Back makes
	// a message of the file as it was left; nil = what is changed there goes nowhere.
	EditMsg struct {
		Name string
		Body []byte
		Back func(path string, err error) tea.Msg
	}

	// SayMsg shows a line in the footer for a while. An Error is shown longer.
	SayMsg struct {
		Text     string
		Severity session.Severity
	}

	// FocusMsg gives a pane the focus, showing it if it is hidden.
	FocusMsg struct{ Pane keys.Scope }

	// ExplainMsg opens the explanation of a rule.
	ExplainMsg struct{ Rule string }

	// SendMsg sends a line to the live server, as typed after :send.
	SendMsg struct{ Line string }

	// ComposeMsg opens the composer on a request.
	ComposeMsg struct {
		Method string
		Name   string  // Name is the tool's, the prompt's or the template's, empty = none.
		About  string  // About describes it, in the server's words.
		Schema []byte  // Schema is a JSON schema of the arguments; nil = none is known.
		Values []byte  // Values are the arguments that are there first; nil = none.
		Params []byte  // Params are all parameters, in place of Name and Values; nil = those say it.
		Task   Tasking // Task says whether a call of it can be run as a task.
	}

	// ListMsg asks the server for lists, each over all its pages. In another client's
	// session Cursor goes on with one of them, without asking the user again.
	ListMsg struct {
		Methods []string
		Cursor  []byte // Cursor is a cursor in JSON; nil = each list is asked for from its beginning.
	}

	// SubscribeMsg subscribes to a resource, or ends that.
	SubscribeMsg struct {
		URI string
		Off bool
	}

	// CancelMsg cancels the request of a row.
	CancelMsg struct{ Row uint32 }

	// CancelTaskMsg has the server cancel a task.
	CancelTaskMsg struct {
		ID      string
		Request string // Request is the raw text of the id of the request that began it, empty where it is not known,
		Conn    int    // and Conn its connection.
		What    string // What is what it runs.
	}

	// CompareMsg opens the difference between two JSON texts.
	CompareMsg struct {
		Title    string
		Old, New Side
		Quiet    bool // Quiet: it was not asked for; it opens only where nothing else is open.
	}

	// OutdatedMsg says that what was compared unasked is old, and since when in words:
	// "older than the last restart".
	OutdatedMsg struct{ Why string }

	// ComparedMsg is how a CompareMsg came out.
	ComparedMsg struct {
		Title       string
		Differences int
		More        bool   // More: there are more of them.
		Why         string // Why says why it could not be compared, empty = it was.
		Quiet       bool
	}

	// Side is one text of a Compare. Name says what it is: "#12, before the build".
	Side struct {
		Name string
		Body []byte
	}

	// SetFilterMsg replaces the filter; empty = none.
	SetFilterMsg struct{ Text string }
)

// A Tasking says whether a call can be run as a task.
type Tasking uint8

const (
	NoTask   Tasking = iota // NoTask: it cannot.
	MayTask                 // MayTask: it can.
	MustTask                // MustTask: it has to be, or the server decides whether it is.
)

// Tell returns the command that asks for msg.
func Tell(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Notify returns the command that shows a line in the footer.
func Notify(text string) tea.Cmd { return Tell(SayMsg{Text: text, Severity: session.Info}) }

// Failed is an error as a line in the footer.
func Failed(err error) SayMsg { return SayMsg{Text: err.Error(), Severity: session.Error} }
