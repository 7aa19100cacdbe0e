package host

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// notebook is what was noted on a tab's session: kept in a file beside the recording,
// as long as there is one.
type notebook struct {
	later   []recorder.Note // later are notes on frames that have not come yet, by number.
	looked  int             // looked is how many rows there were when they were looked for.
	writing bool            // writing: a command keeps a note.
	queue   []recorder.Note // queue are those that wait for it.
	refused string          // refused says why notes are not kept, empty = they are.
	said    bool            // said: that was said.

	base *session.Snapshot // base is the snapshot that was marked last,
	rows []uint32          // with these rows,
	snap *session.Snapshot // and what it became.
}

// Messages of a tab to itself.
type (
	// notesReadMsg brings the notes beside a recording.
	notesReadMsg struct {
		list []recorder.Note
		sid  string
		err  error
	}

	// noteKeptMsg says that a note was written, or why not.
	noteKeptMsg struct{ err error }
)

// recording is the file beside which notes are kept, empty where there is none: what is
// read from standard input has no place.
func (t *Tab) recording() string {
	if path := t.Source.Path(); path != "-" {
		return path
	}
	return ""
}

// ReadNotes reads what was noted before.
func (t *Tab) ReadNotes() tea.Cmd {
	path := t.recording()
	if path == "" {
		return nil
	}
	return t.Addressed(t, func() tea.Msg {
		list, sid, err := recorder.ReadNotesOf(path)
		return notesReadMsg{list, sid, err}
	})
}

// Update implements Receiver, for notes.
func (t *Tab) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case notesReadMsg:
		return t.takeNotes(msg)
	case noteKeptMsg:
		b := &t.notes
		b.writing = false
		if msg.err != nil {
			b.refused, b.queue = msg.err.Error(), nil
			return t.Say(session.Error, b.refused)
		}
		return t.write()
	}
	return nil
}

// takeNotes shows what was noted before.
func (t *Tab) takeNotes(msg notesReadMsg) tea.Cmd {
	b, h := &t.notes, t.Source.Snapshot().Header()
	switch {
	case msg.err != nil:
		b.refused = msg.err.Error()
	case msg.sid != "" && h != nil && h.SID != "" && msg.sid != h.SID:
		b.refused = "the notes beside the recording are on another session; they are left alone, and new ones are not kept"
	default:
		b.later, b.looked = msg.list, -1
		return t.PlaceNotes()
	}
	return t.Say(session.Warning, b.refused)
}

// setNote gives a note to the pane of traffic.
func (t *Tab) setNote(row uint32, mark bool, text string) tea.Cmd {
	return t.AddressedTo(keys.Traffic, t.Traffic.SetNote(&t.Ctx, row, mark, text))
}

// PlaceNotes gives the notes to the rows that have come.
func (t *Tab) PlaceNotes() tea.Cmd {
	b, snap := &t.notes, t.Source.Snapshot()
	if len(b.later) == 0 || snap.Len() == b.looked {
		return nil
	}
	b.looked = snap.Len()
	var cmds []tea.Cmd
	b.later = slices.DeleteFunc(slices.Clone(b.later), func(n recorder.Note) bool {
		row, ok := rowOf(snap, n.N)
		if ok {
			cmds = append(cmds, t.setNote(row, n.Mark, n.Text))
		}
		return ok
	})
	t.Ctx.Snap = t.Noted(t.Ctx.Snap)
	return tea.Batch(cmds...)
}

// RowFrom is the first row with a record number of at least n; the number of rows where
// there is none.
func RowFrom(snap *session.Snapshot, n uint64) int {
	return sort.Search(snap.Len(), func(i int) bool { return uint64(snap.Row(uint32(i)).N) >= n })
}

// rowOf finds the first row with a record number. Numbers ascend, but for frames that
// lie in one another's midst.
func rowOf(snap *session.Snapshot, n uint64) (uint32, bool) {
	const around = 64
	from := RowFrom(snap, n)
	for i := max(0, from-around); i < min(snap.Len(), from+around); i++ {
		if uint64(snap.Row(uint32(i)).N) == n {
			return uint32(i), true
		}
	}
	return 0, false
}

// Noted returns a snapshot with its marks, for is:marked.
func (t *Tab) Noted(snap *session.Snapshot) *session.Snapshot {
	b, rows := &t.notes, t.Traffic.Noted()
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

// KeepNote keeps a note beside the recording.
func (t *Tab) KeepNote(n pane.NotedMsg) tea.Cmd {
	b := &t.notes
	t.Ctx.Snap = t.Noted(t.Ctx.Snap)
	var cmds []tea.Cmd
	if strings.Contains(t.Filter, "is:marked") {
		cmds = append(cmds, t.ApplyFilter())
	}
	r := t.Source.Snapshot().Row(n.Row)
	if t.recording() == "" && b.refused == "" {
		b.refused = "notes are not saved without a recording; they last as long as this screen"
	}
	if b.refused != "" {
		if !b.said {
			b.said = true
			cmds = append(cmds, t.Say(session.Warning, b.refused))
		}
		return tea.Batch(cmds...)
	}
	b.queue = append(b.queue, recorder.Note{N: uint64(r.N), Mark: n.Mark, Text: n.Text, At: time.Now()})
	return tea.Batch(append(cmds, t.write())...)
}

// write keeps the next note of the queue: one after the other, as the last one of a
// frame holds.
func (t *Tab) write() tea.Cmd {
	b := &t.notes
	if b.writing || len(b.queue) == 0 {
		return nil
	}
	n, path, sid := b.queue[0], t.recording(), ""
	b.queue, b.writing = b.queue[1:], true
	if h := t.Ctx.Header; h != nil {
		sid = h.SID
	}
	return t.Addressed(t, func() tea.Msg { return noteKeptMsg{recorder.AppendNote(path, sid, n)} })
}

// NoComment says why nothing can be said about the selected row, empty = it can.
func (t *Tab) NoComment() string { return t.noComment(t.Ctx.Cursor) }

func (t *Tab) noComment(row uint32) string {
	switch {
	case row == session.NoRow:
		return "no row is selected"
	case t.Source.Snapshot().Row(row).N == 0:
		return "the row has no number to keep a comment by"
	}
	return ""
}

// Comment says something about a row; nothing = what was said is taken back.
func (t *Tab) Comment(row uint32, text string) tea.Cmd {
	if why := t.noComment(row); why != "" {
		return t.Say(session.Info, why)
	}
	_, mark := slices.BinarySearch(t.Traffic.Marks(), row)
	text = strings.TrimSpace(text)
	if len(text) > recorder.MaxNote {
		return t.Say(session.Error, fmt.Sprintf("a comment has at most %d bytes", recorder.MaxNote))
	}
	cmd := t.setNote(row, mark, text)
	return tea.Batch(cmd, t.KeepNote(pane.NotedMsg{Row: row, Mark: mark, Text: text}))
}
