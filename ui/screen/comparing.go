package screen

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/ui/compare"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
)

// A found is two texts to compare, or why there are none.
type found struct {
	tab *tab
	cmp pane.Compare
	err error
}

// noDifference says why the selected row cannot be compared with another, empty =
// it can be tried.
func (s *Screen) noDifference() string {
	t := s.tab()
	marks := t.traffic.Marks()
	switch {
	case s.layout.page == keys.Compare:
		return ""
	case t.unseen || len(marks) == 2:
		return ""
	case len(marks) > 2:
		return fmt.Sprintf("%d rows are marked; two can be compared", len(marks))
	case t.ctx.Cursor == session.NoRow:
		return "no row is selected"
	case len(marks) == 1 && marks[0] != t.ctx.Cursor:
		return ""
	case requestOf(t.ctx.Snap, t.ctx.Cursor) == session.NoRow:
		return "Select an answer, or mark two rows with m to compare them."
	}
	return ""
}

// difference compares the marked row, or two, with the selected one; else the
// answer to the selected request with the one before to the same request. What
// came unasked and was not looked at goes first. On the page itself it leads back.
func (s *Screen) difference() tea.Cmd {
	t := s.tab()
	if t.unseen {
		return s.openCompare()
	}
	if s.layout.page == keys.Compare {
		return s.page(keys.Compare)
	}
	snap, log, row := t.ctx.Snap, t.ctx.Log, t.ctx.Cursor
	old, new := row, row
	switch marks := t.traffic.Marks(); len(marks) {
	case 2:
		old, new = marks[0], marks[1]
	case 1:
		old, new = min(row, marks[0]), max(row, marks[0])
	}
	return func() tea.Msg {
		msg := found{tab: t}
		if old != new {
			msg.cmp, msg.err = twoFrames(snap, log, old, new)
		} else {
			msg.cmp, msg.err = twoAnswers(snap, log, requestOf(snap, row))
		}
		return msg
	}
}

// compareFound shows the difference of what was found.
func (s *Screen) compareFound(msg found) tea.Cmd {
	if msg.err != nil {
		return s.say(session.Error, msg.err.Error())
	}
	if msg.tab != s.tab() {
		return nil
	}
	return s.compare(msg.cmp)
}

// compare has two texts compared. The page opens at once where somebody asked.
func (s *Screen) compare(msg pane.Compare) tea.Cmd {
	t := s.tab()
	cmd := t.panes[keys.Compare].Update(&t.ctx, msg)
	if !msg.Quiet {
		return tea.Batch(s.openCompare(), cmd)
	}
	return cmd
}

func (s *Screen) openCompare() tea.Cmd {
	s.tab().unseen = false
	s.layout.page, s.focus = keys.Compare, keys.Compare
	return nil
}

// comparedNow says how a comparison came out that nobody asked for, and opens it
// where nothing else is open.
func (s *Screen) comparedNow(msg pane.Compared) tea.Cmd {
	if !msg.Quiet {
		return nil
	}
	t := s.tab()
	what := msg.Title + ": "
	switch {
	case msg.Why != "":
		return s.say(session.Warning, what+"the results are not compared: "+msg.Why)
	case msg.Differences == 0:
		t.unseen = false
		return s.say(session.Info, what+"the same result")
	}
	text := format.Plural(int64(msg.Differences), "difference")
	if s.vacant() {
		return tea.Batch(s.openCompare(), s.say(session.Info, what+text))
	}
	t.unseen = true
	return s.say(session.Info, what+text+"; "+keys.Word(keys.Find(keys.Difference, keys.Traffic).Keys[0])+" shows")
}

// vacant reports whether nothing is open that would be covered.
func (s *Screen) vacant() bool {
	return s.idle() && s.layout.zoom == keys.Global && (s.layout.page == keys.Global || s.layout.page == keys.Compare)
}

// ignorePath leaves out of differences what a pattern matches.
func (s *Screen) ignorePath(pattern string) tea.Cmd {
	pattern = strings.TrimPrefix(pattern, "$") // as JSONPath begins
	cmd, err := s.tab().panes[keys.Compare].(*compare.Pane).Ignore(pattern)
	if err != nil {
		return s.say(session.Error, err.Error()+"; as in .content[0].text, .items[*].time or ..timestamp")
	}
	return tea.Batch(cmd, s.say(session.Info, pattern+" does not count in differences"))
}

// suggestedPaths are patterns that are worth ignoring.
func suggestedPaths(s *Screen) []string {
	return s.tab().panes[keys.Compare].(*compare.Pane).Suggest()
}

// errNoEarlier is said where there is no answer to compare with.
var errNoEarlier = errors.New("no earlier answer to the same request; m marks another row, then d")

// alikeLen is by how much two messages with the same parameters may differ in
// length: their ids do, and what _meta holds.
const alikeLen = 4 << 10

// twoAnswers finds the answer to a request, and the one before that to the same
// method, target and parameters. What _meta holds, such as progress tokens, makes
// no other request.
func twoAnswers(snap *session.Snapshot, log recorder.Log, row uint32) (pane.Compare, error) {
	r := snap.Row(row)
	if r.Pair >= uint32(snap.Len()) {
		return pane.Compare{}, errors.New("the request has no answer yet")
	}
	asked, err := recorder.ReadRequest(log, snap, row)
	if err != nil {
		return pane.Compare{}, err
	}
	for i := row; i > 0; {
		i--
		q := snap.Row(i)
		if q.Kind != session.RowRequest || q.Method != r.Method || q.Target != r.Target || q.Stream != r.Stream ||
			q.Pair >= uint32(snap.Len()) || max(q.Len, r.Len)-min(q.Len, r.Len) > alikeLen {
			continue
		}
		if m, err := recorder.ReadRequest(log, snap, i); err == nil && SameParams(m.Params, asked.Params) {
			return twoFrames(snap, log, q.Pair, r.Pair)
		}
	}
	return pane.Compare{}, errNoEarlier
}

// metaPath is what does not count in parameters.
var metaPath = func() diff.Path {
	p, err := diff.ParsePath("._meta")
	if err != nil {
		panic(err)
	}
	return p
}()

// SameParams reports whether two requests ask for the same, by their parameters.
func SameParams(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 {
		a = []byte("{}")
	}
	if len(b) == 0 {
		b = []byte("{}")
	}
	changes, err := diff.Compare(a, b, metaPath)
	return err == nil && len(changes) == 0
}

// twoFrames reads two frames for a comparison: of two messages what they carry, of
// anything else the whole.
func twoFrames(snap *session.Snapshot, log recorder.Log, old, new uint32) (pane.Compare, error) {
	a, err := recorder.ReadMessage(log, snap, old)
	if err != nil {
		return pane.Compare{}, err
	}
	b, err := recorder.ReadMessage(log, snap, new)
	if err != nil {
		return pane.Compare{}, err
	}
	ra, rb := snap.Row(old), snap.Row(new)
	cmp := pane.Compare{Title: "frames", Old: pane.Side{Name: frameName(snap, ra)}, New: pane.Side{Name: frameName(snap, rb)}}
	if ra.Method == rb.Method && ra.Target == rb.Target && snap.Name(ra.Method) != "" {
		cmp.Title = strings.TrimSpace(snap.Name(ra.Method) + " " + snap.Name(ra.Target))
	}
	cmp.Old.Body, cmp.New.Body = Carried(a, b)
	return cmp, nil
}

// Carried are what two messages carry, as far as that can be compared: params with
// params, an answer with an answer. Where one is a result and one an error each
// stands under that name; anything else is whole.
func Carried(a, b []byte) (old, new []byte) {
	wordA, partA, okA := recorder.Payload(a)
	wordB, partB, okB := recorder.Payload(b)
	switch {
	case !okA || !okB || (wordA == "params") != (wordB == "params"):
		return a, b
	case wordA == wordB:
		return partA, partB
	}
	return fmt.Appendf(nil, `{"%s":%s}`, wordA, partA), fmt.Appendf(nil, `{"%s":%s}`, wordB, partB)
}

// frameName says which frame it is: its number, what it is, and when.
func frameName(snap *session.Snapshot, r session.Row) string {
	return fmt.Sprintf("#%d %s at %s", r.N, r.Kind, format.Duration(r.T))
}
