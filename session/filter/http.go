package filter

import (
	"regexp"
	"strconv"
	"strings"

	"wiretea/session"
)

// tripOf returns the row of the request's head of the round trip that a row belongs to.
func (at subject) tripOf() (uint32, bool) {
	i := at.p.s.TripRow(at.i)
	return i, i < uint32(at.p.s.Len())
}

func tripNumber(f *Filter, o operand) (node, string) {
	n, msg := numberWord("trip", func(r *session.Row) uint32 { return r.Skip })(f, o)
	if msg != "" {
		return nil, msg
	}
	test := n.(*rowTest)
	return &rowTest{key: "trip", op: ":", value: o.text, holds: func(at subject) bool {
		i, ok := at.tripOf()
		row := at.p.s.Row(i)
		at.row = &row
		return ok && test.holds(at)
	}}, ""
}

func statusWord(_ *Filter, o operand) (node, string) {
	lo, hi := 0, 0
	switch n, err := strconv.Atoi(strings.TrimSuffix(o.text, "xx")); {
	case o.text == "none":
	case err == nil && len(o.text) == 3 && n >= 100:
		lo, hi = n, n
	case err == nil && len(o.text) == 3 && strings.HasSuffix(o.text, "xx") && n >= 1 && n <= 9:
		lo, hi = 100*n, 100*n+99
	default:
		return nil, "status: takes a status or a class of them, such as 404 or 4xx, or none"
	}
	return &rowTest{key: "status", op: ":", value: o.text, holds: func(at subject) bool {
		i, ok := at.tripOf()
		if !ok {
			return false
		}
		v := at.p.s.Trip(i)
		return v.ResponseRow.Kind == session.RowTripResponse && lo <= v.Status && v.Status <= hi
	}}, ""
}

func pathWord(f *Filter, o operand) (node, string) {
	match, msg := textMatch(o)
	if msg != "" {
		return nil, msg
	}
	place := f.nameTest(match)
	return &rowTest{key: "path", op: o.op, value: o.text, holds: func(at subject) bool {
		i, ok := at.tripOf()
		return ok && at.p.names[place].Has(at.p.s.Peek(i).Target)
	}}, ""
}

func sessionWord(_ *Filter, o operand) (node, string) {
	want := strings.TrimPrefix(strings.ToLower(o.text), "#")
	return &rowTest{key: "session", op: ":", value: o.text, holds: func(at subject) bool {
		c := at.p.s.Conn(int(at.row.Conn))
		return c != nil && c.Session != "" && strings.HasPrefix(c.Session, want)
	}}, ""
}

// headerTest needs the head of a request or a response, which is its row's body.
type headerTest struct {
	op, text string
	in       func(line string) bool
}

func (t *headerTest) meta(at subject) Verdict {
	if at.row.Kind != session.RowTrip && at.row.Kind != session.RowTripResponse {
		return No
	}
	return Body
}

func (t *headerTest) match(at subject) bool {
	if t.meta(at) == No {
		return false
	}
	_, fields, _ := strings.Cut(string(at.body), "\n")
	for line := range strings.SplitSeq(fields, "\n") {
		if line != "" && t.in(line) {
			return true
		}
	}
	return false
}

func (t *headerTest) write(b *strings.Builder) {
	b.WriteString("header" + t.op)
	b.WriteString(Value(t.text))
}

func headerWord(_ *Filter, o operand) (node, string) {
	if o.op == "~" {
		re, err := regexp.Compile("(?i)" + o.text)
		if err != nil {
			return nil, regexpFault(err)
		}
		return &headerTest{o.op, o.text, re.MatchString}, ""
	}
	low := strings.ToLower(o.text)
	return &headerTest{o.op, o.text, func(line string) bool { return strings.Contains(strings.ToLower(line), low) }}, ""
}

// isStream reports whether a row belongs to a round trip whose response is an event stream.
func isStream(at subject) bool {
	i, ok := at.tripOf()
	return ok && at.p.s.Trip(i).Stream
}

func isHTTP(at subject) bool {
	_, ok := at.tripOf()
	return ok
}
