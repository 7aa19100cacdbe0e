package compare

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/json/lex"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// errNoEarlier is returned if there is no answer to compare with.
var errNoEarlier = errors.New("no earlier answer of this kind; m marks another row, then d")

// alikeLen is by how much two messages with the same parameters may differ in
// length: their ids do, and what _meta holds.
const alikeLen = 4 << 10

// Answers reads for a comparison the answer to the request in row, and an earlier one: to the
// request origin that it was made from, NoRow for none; else to the last request with the same
// method, target and parameters, apart from _meta; else to the last with the same method and
// target. Where the parameters differ, they are compared too.
func Answers(snap *session.Snapshot, log recorder.Log, row, origin uint32) (pane.CompareMsg, error) {
	r := snap.Row(row)
	if r.Pair >= uint32(snap.Len()) {
		return pane.CompareMsg{}, errors.New("the request has no answer yet")
	}
	asked, err := recorder.ReadRequest(log, snap, row)
	if err != nil {
		return pane.CompareMsg{}, err
	}
	other := session.NoRow
	answered := func(i uint32) bool { return snap.Row(i).Pair < uint32(snap.Len()) }
	from := row
	if origin < row && answered(origin) {
		other, from = origin, 0
	}
	for i := from; i > 0; {
		i--
		q := snap.Row(i)
		if q.Kind != session.RowRequest || q.Method != r.Method || q.Target != r.Target || q.Stream != r.Stream || !answered(i) {
			continue
		}
		if other == session.NoRow {
			other = i
		}
		if max(q.Len, r.Len)-min(q.Len, r.Len) > alikeLen {
			continue
		}
		if m, err := recorder.ReadRequest(log, snap, i); err == nil && sameParams(m.Params, asked.Params) {
			other = i
			break
		}
	}
	if other == session.NoRow {
		return pane.CompareMsg{}, errNoEarlier
	}
	before, err := recorder.ReadRequest(log, snap, other)
	if err != nil {
		return pane.CompareMsg{}, err
	}
	cmp, err := Frames(snap, log, snap.Row(other).Pair, r.Pair)
	if err == nil && !sameParams(before.Params, asked.Params) {
		cmp.Old.Body = withRequest(before.Params, cmp.Old.Body)
		cmp.New.Body = withRequest(asked.Params, cmp.New.Body)
	}
	return cmp, err
}

// withRequest is the parameters of a request, without _meta, and its answer as one JSON text.
func withRequest(params, answer []byte) []byte {
	if list, ok := lex.List(params); ok || len(params) == 0 {
		params = lex.AppendObject(nil, slices.DeleteFunc(list, func(m lex.Member) bool { return m.Name == "_meta" })...)
	}
	return fmt.Appendf(nil, `{"params":%s,"answer":%s}`, params, answer)
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
	cmp := pane.CompareMsg{Title: "frames", Old: pane.Side{Name: frameName(snap, old)}, New: pane.Side{Name: frameName(snap, new)}}
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

// frameName names the frame of a row: number, kind, latency of a response, size and time.
func frameName(snap *session.Snapshot, row uint32) string {
	r := snap.Row(row)
	name := fmt.Sprintf("#%d %s", r.N, r.Kind)
	if took, ok := snap.Latency(row); ok && r.Kind != session.RowRequest {
		name += " in " + text.Duration(took)
	}
	return name + ", " + text.Size(int64(r.Len)) + ", at " + text.Seconds(r.T)
}
