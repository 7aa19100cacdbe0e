package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/notes"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// notebook is what was noted on a tab's session: kept in a file beside the recording,
// as long as there is one.
type notebook struct {
	later   []notes.Note // later are notes on frames that have not come yet, by number.
	looked  int          // looked is how many rows there were when they were looked for.
	writing bool         // writing: a command keeps a note.
	queue   []notes.Note // queue are those that wait for it.
	refused string       // refused says why notes are not kept, empty = they are.
	said    bool         // said: that was said.

	base *session.Snapshot // base is the snapshot that was marked last,
	rows []uint32          // with these rows,
	snap *session.Snapshot // and what it became.
}

// Messages about notes.
type (
	// notesRead brings the notes beside a recording.
	notesRead struct {
		tab  *tab
		list []notes.Note
		sid  string
		err  error
	}

	// noteKept: a note has been written, or not.
	noteKept struct {
		tab *tab
		err error
	}
)

// recording is the file beside which notes are kept, empty where there is none: what is
// read from standard input has no place.
func (t *tab) recording() string {
	if path := t.source.Path(); path != "-" {
		return path
	}
	return ""
}

// readNotes reads what was noted before.
func (t *tab) readNotes() tea.Cmd {
	path := t.recording()
	if path == "" {
		return nil
	}
	return func() tea.Msg {
		list, sid, err := notes.ReadOf(path)
		return notesRead{t, list, sid, err}
	}
}

// noteMsg takes the messages about notes.
func (s *Screen) noteMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case notesRead:
		return s.takeNotes(msg), true
	case noteKept:
		b := &msg.tab.book
		b.writing = false
		if msg.err != nil {
			b.refused = msg.err.Error()
			b.queue = nil
			return s.say(session.Error, b.refused), true
		}
		return msg.tab.write(), true
	case pane.Noted:
		return s.keep(s.tab(), msg), true
	}
	return nil, false
}

// takeNotes shows what was noted before.
func (s *Screen) takeNotes(msg notesRead) tea.Cmd {
	b := &msg.tab.book
	h := msg.tab.source.Snapshot().Header()
	switch {
	case msg.err != nil:
		b.refused = msg.err.Error()
		return s.say(session.Warning, b.refused)
	case msg.sid != "" && h != nil && h.SID != "" && msg.sid != h.SID:
		b.refused = "the notes beside the recording are on another session; they are left alone, and new ones are not kept"
		return s.say(session.Warning, b.refused)
	}
	b.later, b.looked = msg.list, -1
	return msg.tab.place()
}

// place gives the notes to the rows that have come.
func (t *tab) place() tea.Cmd {
	b, snap := &t.book, t.source.Snapshot()
	if len(b.later) == 0 || snap.Len() == b.looked {
		return nil
	}
	b.looked = snap.Len()
	var cmds []tea.Cmd
	b.later = slices.DeleteFunc(slices.Clone(b.later), func(n notes.Note) bool {
		row, ok := rowOf(snap, n.N)
		if ok {
			cmds = append(cmds, t.traffic.SetNote(&t.ctx, row, n.Mark, n.Text))
		}
		return ok
	})
	t.ctx.Snap = t.noted(t.ctx.Snap)
	return tea.Batch(cmds...)
}

// rowOf finds the first row with a record number. Numbers ascend, but for frames that
// lie in one another's midst.
func rowOf(snap *session.Snapshot, n uint64) (uint32, bool) {
	low, high := 0, snap.Len()
	for low < high {
		if mid := (low + high) / 2; uint64(snap.Row(uint32(mid)).N) < n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	const around = 64
	for i := max(0, low-around); i < min(snap.Len(), low+around); i++ {
		if uint64(snap.Row(uint32(i)).N) == n {
			return uint32(i), true
		}
	}
	return 0, false
}

// noted returns a snapshot with its marks, for is:marked.
func (t *tab) noted(snap *session.Snapshot) *session.Snapshot {
	b, rows := &t.book, t.traffic.Noted()
	if snap == b.snap {
		snap = b.base
	}
	if len(rows) == 0 && len(b.rows) == 0 {
		return snap
	}
	if snap != b.base || !slices.Equal(rows, b.rows) {
		b.base, b.rows, b.snap = snap, rows, snap.Marked(rows)
	}
	return b.snap
}

// keep keeps a note beside the recording.
func (s *Screen) keep(t *tab, n pane.Noted) tea.Cmd {
	b := &t.book
	t.ctx.Snap = t.noted(t.ctx.Snap)
	var cmds []tea.Cmd
	if strings.Contains(t.filter, "is:marked") {
		cmds = append(cmds, s.applyFilter(t))
	}
	r := t.source.Snapshot().Row(n.Row)
	if t.recording() == "" && b.refused == "" {
		b.refused = "notes are not saved without a recording; they last as long as this screen"
	}
	if b.refused != "" {
		if !b.said {
			b.said = true
			cmds = append(cmds, s.say(session.Warning, b.refused))
		}
		return tea.Batch(cmds...)
	}
	b.queue = append(b.queue, notes.Note{N: uint64(r.N), Mark: n.Mark, Text: n.Text, At: time.Now()})
	return tea.Batch(append(cmds, t.write())...)
}

// write keeps the next note of the queue: one after the other, as the last one of a
// frame holds.
func (t *tab) write() tea.Cmd {
	b := &t.book
	if b.writing || len(b.queue) == 0 {
		return nil
	}
	n, path, sid := b.queue[0], t.recording(), ""
	b.queue, b.writing = b.queue[1:], true
	if h := t.ctx.Header; h != nil {
		sid = h.SID
	}
	return func() tea.Msg { return noteKept{t, notes.Append(path, sid, n)} }
}

// noComment says why nothing can be said about the selected row, empty = it can.
func (s *Screen) noComment() string {
	t := s.tab()
	switch {
	case t.ctx.Cursor == session.NoRow:
		return "no row is selected"
	case t.ctx.Snap.Row(t.ctx.Cursor).N == 0:
		return "the row has no number to keep a comment by"
	}
	return ""
}

// commentOn says something about the selected row; nothing = what was said is taken
// back.
func (s *Screen) commentOn(text string) tea.Cmd {
	t := s.tab()
	if why := s.noComment(); why != "" {
		return s.say(session.Info, why)
	}
	row := t.ctx.Cursor
	_, mark := slices.BinarySearch(t.traffic.Marks(), row)
	text = strings.TrimSpace(text)
	if len(text) > notes.MaxText {
		return s.say(session.Error, fmt.Sprintf("a comment has at most %d bytes", notes.MaxText))
	}
	cmd := t.traffic.SetNote(&t.ctx, row, mark, text)
	return tea.Batch(cmd, s.keep(t, pane.Noted{Row: row, Mark: mark, Text: text}))
}

// commentCommand is :comment; nothing asks for a text.
func (s *Screen) commentCommand(rest string) tea.Cmd {
	if rest == "" {
		return s.do(keys.Comment)
	}
	return s.commentOn(rest)
}
