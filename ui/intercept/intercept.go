package intercept

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/held"
	"wiretea/ui/host"
	"wiretea/ui/jsonview"
	"wiretea/ui/keys"
	"wiretea/ui/source"
)

// By is how this screen is named in the record and to other places.
const By = "screen"

// An Intercept is a person's place in the path of the session of a tab.
type Intercept struct {
	// Schemas returns what finds, in a command, the schema of the arguments of a tool or a prompt in
	// the session; nil where it has none.
	Schemas func() func(method, name string) []byte

	tab   *host.Tab
	place session.Intercept // place is nil while there is none.
	why   string            // why says why there is none, empty = it is not known yet.
	over  bool              // over: the screen is being left, and no place is opened any more.

	kept     *Kept
	last     string            // last is the filter that messages were held by last; empty = none was.
	answered map[string][]byte // answered are the results that were given last, by method and target.
}

// New returns the place of a tab, which Open opens. kept is that of all tabs.
func New(t *host.Tab, kept *Kept) *Intercept {
	q := &Intercept{tab: t, kept: kept, answered: map[string][]byte{}}
	kept.places = append(kept.places, q)
	t.Held.Read = q.read
	return q
}

// Messages of the place to itself.
type (
	// openedMsg is the place, or why there is none.
	openedMsg struct {
		place session.Intercept
		err   error
		then  func() tea.Cmd // then is what is done in it; nil = nothing.
	}

	// changedMsg: the state has changed, or with over the place is closed.
	changedMsg struct {
		place session.Intercept
		over  bool
	}

	// textMsg is the text of a held message, or why it cannot be shown.
	textMsg struct {
		id  uint64
		doc *jsonview.Document
		err error
	}

	// doneMsg is what became of something that was asked of the place.
	doneMsg struct {
		says string // says is said where it was done; empty = the state says enough.
		err  error
	}
)

// errRecording is said of a session without a path.
var errRecording = errors.New("this is a recording: nothing is on its way")

// interceptor is what opens a place; nil where the session has none.
func (q *Intercept) interceptor() source.Interceptor {
	i, _ := q.tab.Source.(source.Interceptor)
	return i
}

// Open opens the place, so that what is held and asked by a policy is seen.
func (q *Intercept) Open() tea.Cmd { return q.open(nil) }

// open opens the place, and calls then in it.
func (q *Intercept) open(then func() tea.Cmd) tea.Cmd {
	i := q.interceptor()
	if i == nil || q.over || !q.tab.Source.Live() {
		if then == nil {
			return nil
		}
		return q.tab.Say(session.Error, q.Disabled())
	}
	if q.place != nil {
		if then == nil {
			return nil
		}
		return then()
	}
	return q.tab.Addressed(q, func() tea.Msg {
		place, err := i.Intercept(context.Background(), By)
		return openedMsg{place, err, then}
	})
}

// Disabled says why nothing can be held, empty = it can, or it is not known.
func (q *Intercept) Disabled() string {
	t := q.tab
	switch a := t.Ctx.Attached; {
	case q.place != nil:
		return ""
	case q.interceptor() == nil:
		return errRecording.Error()
	case !t.Ctx.Live || t.Ctx.Past:
		return "the session is over: nothing is on its way"
	case a != nil && a.Refused != "":
		return a.Refused
	}
	return ""
}

// NoHeld says why there is nothing to decide on, empty = there is.
func (q *Intercept) NoHeld() string {
	switch _, ok := q.tab.Held.Selected(); {
	case ok:
		return ""
	case q.Disabled() != "":
		return q.Disabled()
	}
	return "nothing is held; " + q.tab.Ctx.Keys.WordOf(keys.Intercept, keys.Global) + " holds messages"
}

// Update implements host.Receiver.
func (q *Intercept) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case openedMsg:
		return q.opened(msg)
	case changedMsg:
		return q.changed(msg)
	case textMsg:
		wrong := ""
		if msg.err != nil {
			wrong = text.OneLine(msg.err.Error())
		}
		return q.tab.AddressedTo(keys.Held, q.tab.Held.ShowText(msg.id, msg.doc, wrong))
	case editMsg:
		return q.editorBox(msg.editor)
	case respondMsg:
		return q.respondBox(msg)
	case doneMsg:
		switch {
		case errors.Is(msg.err, session.ErrNotHeld):
			return q.tab.Say(session.Warning, "too late: it was decided on meanwhile")
		case msg.err != nil:
			return q.tab.Say(session.Error, msg.err.Error())
		case msg.says != "":
			return q.tab.Say(session.Info, msg.says)
		}
	}
	return nil
}

// opened takes the place.
func (q *Intercept) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		q.why = msg.err.Error()
		if msg.then != nil {
			return q.tab.Say(session.Error, q.why)
		}
		return nil
	}
	if q.place != nil || q.over { // Another one was faster, or nobody is there any more.
		cmd := q.tab.Addressed(q, func() tea.Msg { return doneMsg{err: msg.place.Close()} })
		if q.over || msg.then == nil {
			return cmd
		}
		return tea.Batch(cmd, msg.then())
	}
	q.place, q.why = msg.place, ""
	cmds := []tea.Cmd{q.wait(), q.show()}
	if msg.then != nil {
		cmds = append(cmds, msg.then())
	}
	return tea.Batch(cmds...)
}

// wait waits for the state to change.
func (q *Intercept) wait() tea.Cmd {
	place := q.place
	return q.tab.Addressed(q, func() tea.Msg {
		_, more := <-place.Changed()
		return changedMsg{place, !more}
	})
}

// show gives the state to the pane, and to all that reads the context.
func (q *Intercept) show() tea.Cmd {
	var state *session.InterceptState
	if q.place != nil {
		state = q.place.State()
		q.tab.Ctx.Held = state.Held
	} else {
		q.tab.Ctx.Held = nil
	}
	return q.tab.AddressedTo(keys.Held, q.tab.Held.Show(state))
}

// changed shows the new state, and says what became of a message without a key of ours.
func (q *Intercept) changed(msg changedMsg) tea.Cmd {
	if msg.place != q.place {
		return nil
	}
	before := q.tab.Held.State()
	if msg.over {
		q.place = nil
		cmd := q.show()
		if before.Own.Filter != "" && !q.over {
			cmd = tea.Batch(cmd, q.tab.Say(session.Warning, "intercept is off: "+overWords(q.tab)))
		}
		return cmd
	}
	cmds := []tea.Cmd{q.wait(), q.show()}
	if now := q.tab.Held.State(); now.Decided > before.Decided && now.Last != "" {
		cmds = append(cmds, q.tab.Say(session.Info, text.OneLine(now.Last)))
	}
	return tea.Batch(cmds...)
}

// overWords say why a place was closed.
func overWords(t *host.Tab) string {
	if t.Source.Live() {
		return "the process in the path closed it"
	}
	return "the session has ended"
}

// maxShown is how much of a held message is shown, in bytes.
const maxShown = 16 << 20

// read reads the text of a held message for the pane, as it goes on.
func (q *Intercept) read(id uint64) tea.Cmd {
	place, edit := q.place, q.tab.Held.Edited(id)
	if place == nil {
		return nil
	}
	return q.tab.Addressed(q, func() tea.Msg {
		text, err := edit.Text, error(nil)
		if text == nil {
			text, err = place.Text(context.Background(), id)
		}
		if err != nil {
			return textMsg{id: id, err: err}
		}
		more := len(text) > maxShown
		doc, err := jsonview.Index(context.Background(), text[:min(len(text), maxShown)], jsonview.Options{More: more})
		return textMsg{id, doc, err}
	})
}

// Hold sets which messages are held; empty = none any more.
func (q *Intercept) Hold(filter string) tea.Cmd {
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Error, why)
	}
	if err := CheckFilter(filter); err != nil {
		return q.tab.Say(session.Error, "intercept: "+err.Error())
	}
	held := 0
	for _, h := range q.tab.Held.State().Held {
		if strings.HasPrefix(h.By, "hold: ") {
			held++
		}
	}
	says := "intercept: messages that match " + text.Visible([]byte(filter), 80) + " are held"
	switch {
	case filter == "" && held > 0:
		says = "intercept is off; " + text.Plural(int64(held), "held message") + " released"
	case filter == "":
		says = "intercept is off"
	}
	if filter != "" {
		q.last = filter
	}
	return q.open(func() tea.Cmd { return q.set(filter, says) })
}

// set sets what the place holds, and says it.
func (q *Intercept) set(filter, says string) tea.Cmd {
	place, percent := q.place, q.kept.settings.Hold
	return q.do(says, func(ctx context.Context) error {
		return place.Intercept(ctx, session.Interception{Filter: filter, Percent: percent, By: By})
	})
}

// CheckFilter returns why a filter cannot choose messages on their way; nil = it can.
func CheckFilter(text string) error {
	if text == "" {
		return nil
	}
	f, err := filter.Parse(text)
	if err != nil {
		return err
	}
	return f.CheckPassing()
}

// On reports whether messages are held by the filter of this place, and which.
func (q *Intercept) On() (filter string, on bool) {
	filter = q.tab.Held.State().Own.Filter
	return filter, filter != ""
}

// do asks something of the place, in a command, and says what came of it.
func (q *Intercept) do(says string, what func(ctx context.Context) error) tea.Cmd {
	return q.tab.Addressed(q, func() tea.Msg { return doneMsg{says, what(context.Background())} })
}

// Leave gives the place up, and returns what closes it: what its filter holds is released. That
// may take its time and is called in a command. Nil = there is none.
func (q *Intercept) Leave() func() {
	place := q.place
	if q.over, q.place = true, nil; place == nil {
		return nil
	}
	return func() { _ = place.Close() } // Whoever is left has nobody to tell.
}

// Leaving says what becomes of the held messages when the screen is left; empty where none
// is held.
func (q *Intercept) Leaving() string {
	own, others := 0, 0
	for _, h := range q.tab.Held.State().Held {
		if strings.HasPrefix(h.By, "hold: ") {
			own++
		} else {
			others++
		}
	}
	var parts []string
	if own > 0 {
		parts = append(parts, text.Plural(int64(own), "held message")+" will be released as they came")
		if own == 1 {
			parts[0] = "1 held message will be released as it came"
		}
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%s by the policy until its timeout", text.Plural(int64(others), "message")+" stay held"))
		if others == 1 {
			parts[len(parts)-1] = "1 message stays held by the policy until its timeout"
		}
	}
	return strings.Join(parts, "; ")
}

// edited is what was made of a held message.
func (q *Intercept) edited(id uint64) held.Edit { return q.tab.Held.Edited(id) }
