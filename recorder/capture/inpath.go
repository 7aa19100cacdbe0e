package capture

import (
	"context"
	"fmt"

	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/decide/policy"
	"wiretea/session/transport"
)

// An InPath says what decides on the messages of a session before they are forwarded. The
// zero InPath lets them pass.
type InPath struct {
	Policy *policy.File // Policy is a policy; nil = there is none.
}

// on reports whether anything decides.
func (o InPath) on() bool { return o.Policy != nil }

// path returns a path for one session, whose record is told what is in force.
func (o InPath) path(tap *transport.Tap) *decide.Path {
	p := new(decide.Path)
	p.Use(o.Policy)
	tap.Path(o.Policy.Event("on"))
	return p
}

// watch has the policy read again when it changes, until ctx is done. The records are told,
// and warn, where a changed one cannot be used or changes are not seen. A nil warn is not.
func (o InPath) watch(ctx context.Context, warn func(text string), taps ...*transport.Tap) {
	if warn == nil {
		warn = func(string) {}
	}
	err := o.Policy.Watch(ctx, func(ev session.PathEvent) {
		for _, tap := range taps {
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
