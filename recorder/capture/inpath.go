package capture

import (
	"context"
	"fmt"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/decide/fault"
	"wiretea/session/decide/policy"
	"wiretea/session/transport"
	"wiretea/session/transport/http"
)

// An InPath says what decides on the messages of a session before they are forwarded. The
// zero InPath lets them pass.
type InPath struct {
	Policy *policy.File // Policy is a policy; nil = there is none.
	Faults fault.Faults // Faults break messages, after the policy; they are for stdio.
}

// on reports whether anything decides.
func (o InPath) on() bool { return o.Policy != nil || len(o.Faults) > 0 }

// path returns a path for one session, whose record is told what is in force.
func (o InPath) path(tap *transport.Tap) *decide.Path {
	p := new(decide.Path)
	var deciders []decide.Decider
	if o.Policy != nil {
		deciders = append(deciders, o.Policy)
		tap.Path(o.Policy.Event("on"))
	}
	if len(o.Faults) > 0 {
		deciders = append(deciders, o.Faults)
		tap.Path(session.PathEvent{Event: "on", What: "faults", Text: o.Faults.String()})
	}
	p.Use(deciders...)
	return p
}

// watch has the policy read again when it changes, until ctx is done. The records of taps are
// told, and warn, where a changed one cannot be used or changes are not seen. A nil warn is not.
func (o InPath) watch(ctx context.Context, warn func(text string), taps func() []*transport.Tap) {
	if o.Policy == nil {
		return
	}
	if warn == nil {
		warn = func(string) {}
	}
	err := o.Policy.Watch(ctx, func(ev session.PathEvent) {
		for _, tap := range taps() {
			tap.Path(ev)
		}
		if ev.Event == "broken" {
			warn(fmt.Sprintf("the policy cannot be used, the last one stays in force: %s", ev.Text))
		}
	})
	if err != nil {
		warn(err.Error())
	}
}

// only are the taps of a session that has one.
func only(tap *transport.Tap) func() []*transport.Tap {
	return func() []*transport.Tap { return []*transport.Tap{tap} }
}

// bodyJudge has a path decide on the bodies of round trips.
type bodyJudge struct{ path *decide.Path }

// Text implements http.Judge.
func (j bodyJudge) Text(conn int, s session.Stream, text []byte) http.Ruling {
	r := j.path.Text(conn, s, text)
	return http.Ruling{By: r.By, Pass: r.Pass, Text: r.Text, Back: r.Back}
}

// TooLong implements http.Judge.
func (j bodyJudge) TooLong() string { return j.path.TooLong() }
