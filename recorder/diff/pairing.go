package diff

import (
	"cmp"
	"encoding/json"
	"slices"

	"wiretea/recorder"
	"wiretea/session/json/diff"
)

// A pair is two calls that correspond; one of them may be nil.
type pair struct {
	a, b    *call
	changed bool // changed: they did not ask the same.
}

// pairs pairs the calls of both: those that ask the same, the first with the
// first; then of what is left those of one method and target. The order is that of
// the first recording, and then of the second.
func pairs(a, b []*call) []pair {
	partner := match(a, b, nil, func(c *call) uint64 { return c.key })
	match(a, b, partner, func(c *call) [3]string { return [3]string{c.sender.String(), c.method, c.target} })
	var out []pair
	taken := make(map[*call]bool, len(b))
	for _, c := range a {
		if polled(c.method) && partner[c] == nil {
			continue
		}
		p := pair{a: c, b: partner[c]}
		if p.b != nil {
			taken[p.b] = true
			p.changed = p.b.key != c.key
		}
		out = append(out, p)
	}
	for _, c := range b {
		if !taken[c] && !polled(c.method) {
			out = append(out, pair{b: c})
		}
	}
	return out
}

// match pairs what has no partner yet and has the same name, in order.
func match[K comparable](a, b []*call, partner map[*call]*call, name func(*call) K) map[*call]*call {
	if partner == nil {
		partner = make(map[*call]*call, len(a))
	}
	taken := make(map[*call]bool, len(partner))
	for _, c := range partner {
		taken[c] = true
	}
	waiting := map[K][]*call{}
	for _, c := range b {
		if !taken[c] {
			waiting[name(c)] = append(waiting[name(c)], c)
		}
	}
	for _, c := range a {
		if partner[c] != nil {
			continue
		}
		if list := waiting[name(c)]; len(list) > 0 {
			partner[c], waiting[name(c)] = list[0], list[1:]
		}
	}
	return partner
}

// lastPolls keeps of calls that are sent as often as their sender likes the last of
// each kind: its answer is what came of it.
func lastPolls(calls []*call) []*call {
	last := map[uint64]*call{}
	for _, c := range calls {
		if polled(c.method) {
			last[c.key] = c
		}
	}
	var out []*call
	for _, c := range calls {
		if !polled(c.method) || last[c.key] == c {
			out = append(out, c)
		}
	}
	return out
}

// compareCalls compares what came of each call.
func (d *differ) compareCalls() error {
	alike := map[string]int{} // alike are the places in the report of differences that are just so.
	for _, p := range pairs(lastPolls(d.a.calls), lastPolls(d.b.calls)) {
		if p.a != nil && p.b != nil {
			d.out.Paired++
		}
		// Between eras all of a handshake differs, which is reported once.
		if !d.differs(p) || d.eras && (p.a != nil && negotiates(p.a.method) || p.b != nil && negotiates(p.b.method)) {
			continue
		}
		c, err := d.describe(p)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		name, err := likeness(c)
		if err != nil {
			return err
		}
		if i, known := alike[name]; known {
			d.out.Calls[i].Count++
			continue
		}
		if len(d.out.Calls) == MaxCalls {
			d.out.MoreCalls++
			continue
		}
		alike[name] = len(d.out.Calls)
		d.out.Calls = append(d.out.Calls, *c)
	}
	return nil
}

// likeness is equal for differences that a report has once.
func likeness(c *Call) (string, error) {
	dup := *c
	for _, e := range []**Ending{&dup.A, &dup.B} {
		if *e != nil {
			at := **e
			at.Frame, at.Answer = 0, 0
			*e = &at
		}
	}
	name, err := json.Marshal(&dup)
	return string(name), err
}

// differs reports whether a pair may differ, without reading bodies.
func (d *differ) differs(p pair) bool {
	if p.a == nil || p.b == nil || p.changed {
		return true
	}
	if longLived(p.a.method) && p.a.ends != failed && p.b.ends != failed {
		return false
	}
	if p.a.ends != p.b.ends || p.a.code != p.b.code {
		return true
	}
	if p.a.ends == unanswered || p.a.ends == cancelled || p.a.digest == p.b.digest {
		return false
	}
	// What was negotiated and listed is compared as such.
	return (!negotiates(p.a.method) || p.a.ends != result) && !(d.listed[p.a] && d.listed[p.b])
}

// longLived reports whether a request stays open until its connection ends: whether its
// answer still came is chance.
func longLived(method string) bool { return method == "subscriptions/listen" }

// describe says how a pair differs; nil where it does not.
func (d *differ) describe(p pair) (*Call, error) {
	out := &Call{Kind: Changed, Count: 1}
	c, side := p.a, d.a
	switch {
	case p.a == nil:
		out.Kind, c, side = Added, p.b, d.b
	case p.b == nil:
		out.Kind = Removed
	}
	out.Sender, out.Method, out.Target = c.sender.Sender().String(), c.method, c.target
	asked, err := side.text(c.req)
	if err != nil {
		return nil, err
	}
	out.Params = trimmed(recorder.Members(asked)["params"])
	said := map[*call][]byte{}
	for _, one := range []struct {
		side *Side
		c    *call
		to   **Ending
	}{{d.a, p.a, &out.A}, {d.b, p.b, &out.B}} {
		if one.c == nil {
			continue
		}
		if one.c.resp != nowhere {
			if said[one.c], err = one.side.text(one.c.resp); err != nil {
				return nil, err
			}
		}
		*one.to = ending(one.c, said[one.c])
	}
	if out.Kind != Changed {
		return out, nil
	}
	if p.changed {
		now, err := d.b.text(p.b.req)
		if err != nil {
			return nil, err
		}
		if out.Asked = d.messages(asked, now, freshAsked.Get()); len(out.Asked) > 0 {
			return out, nil
		}
	}
	if p.a.ends != p.b.ends || p.a.code != p.b.code {
		return out, nil
	}
	if said[p.a] != nil && said[p.b] != nil {
		out.Changes = d.messages(said[p.a], said[p.b], freshAnswered.Get())
	}
	if len(out.Changes) == 0 {
		return nil, nil // Times, or nothing.
	}
	return out, nil
}

// eraDoes reports whether a difference between two answers comes with their eras: a
// modern result says of what kind it is and for how long it holds.
func (d *differ) eraDoes(c Change) bool {
	switch c.Path {
	case ".result.resultType":
		return c.Kind != Changed && cmp.Or(string(c.Old), string(c.New)) == `"complete"`
	case ".result.ttlMs", ".result.cacheScope":
		return c.Kind != Changed && d.eras
	}
	return false
}

// messages compares two messages.
func (d *differ) messages(old, now []byte, fresh []diff.Path) []Change {
	return slices.DeleteFunc(d.values(old, now, "", d.a.ignored(fresh)), d.eraDoes)
}

// trimmed is what of a call's parameters tells it apart: without metadata.
func trimmed(params json.RawMessage) json.RawMessage {
	m := recorder.Members(params)
	if m == nil || m["_meta"] == nil {
		return params
	}
	delete(m, "_meta")
	if len(m) == 0 {
		return nil
	}
	out, err := json.Marshal(m)
	if err != nil {
		return params
	}
	return out
}

// ending says how a call ended, from its answer.
func ending(c *call, said []byte) *Ending {
	e := &Ending{Frame: c.n, Answer: c.respN, Outcome: c.ends.String(), Code: c.code}
	switch c.ends {
	case failed:
		e.Message = recorder.TextOf(recorder.Members(recorder.Members(said)["error"])["message"])
	case toolError:
		e.Message = firstText(recorder.Members(recorder.Members(said)["result"])["content"])
	case unanswered, cancelled, result:
	}
	return e
}

// firstText is the first text among content blocks.
func firstText(raw json.RawMessage) string {
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	for _, b := range blocks {
		if b.Text != "" {
			return b.Text
		}
	}
	return ""
}
