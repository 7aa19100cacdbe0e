package compare

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/ui/format"
	"wiretea/ui/pane"
)

// errNoEarlier is said where there is no answer to compare with.
var errNoEarlier = errors.New("no earlier answer to the same request; m marks another row, then d")

// alikeLen is by how much two messages with the same parameters may differ in
// length: their ids do, and what _meta holds.
const alikeLen = 4 << 10

// Answers reads for a comparison the answer to a request, and the one before that to the same
// method, target and parameters. What _meta holds, such as progress tokens, makes
// no other request.
func Answers(snap *session.Snapshot, log recorder.Log, row uint32) (pane.CompareMsg, error) {
	r := snap.Row(row)
	if r.Pair >= uint32(snap.Len()) {
		return pane.CompareMsg{}, errors.New("the request has no answer yet")
	}
	asked, err := recorder.ReadRequest(log, snap, row)
	if err != nil {
		return pane.CompareMsg{}, err
	}
	for i := row; i > 0; {
		i--
		q := snap.Row(i)
		if q.Kind != session.RowRequest || q.Method != r.Method || q.Target != r.Target || q.Stream != r.Stream ||
			q.Pair >= uint32(snap.Len()) || max(q.Len, r.Len)-min(q.Len, r.Len) > alikeLen {
			continue
		}
		if m, err := recorder.ReadRequest(log, snap, i); err == nil && sameParams(m.Params, asked.Params) {
			return Frames(snap, log, q.Pair, r.Pair)
		}
	}
	return pane.CompareMsg{}, errNoEarlier
}

// sameParams reports whether two requests ask for the same, by their parameters but
// _meta.
func sameParams(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 {
		a = []byte("{}")
	}
	if len(b) == 0 {
		b = []byte("{}")
	}
	meta, err := diff.ParsePath("._meta")
	if err != nil {
		return false
	}
	changes, err := diff.Compare(a, b, meta)
	return err == nil && len(changes) == 0
}

// Frames reads two frames for a comparison: of two messages what they carry, of
// anything else the whole.
func Frames(snap *session.Snapshot, log recorder.Log, old, new uint32) (pane.CompareMsg, error) {
	a, err := recorder.ReadMessage(log, snap, old)
	if err != nil {
		return pane.CompareMsg{}, err
	}
	b, err := recorder.ReadMessage(log, snap, new)
	if err != nil {
		return pane.CompareMsg{}, err
	}
	ra, rb := snap.Row(old), snap.Row(new)
	cmp := pane.CompareMsg{Title: "frames", Old: pane.Side{Name: frameName(snap, ra)}, New: pane.Side{Name: frameName(snap, rb)}}
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
