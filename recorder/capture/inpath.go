package capture

import (
	"context"
	"fmt"
	"time"

	"wiretea/session"
	"wiretea/session/control"
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
	Faults fault.Faults // Faults break messages, after the policy; see fault.Faults.Over.

	// ClientTimeout is for how long a real client waits for a response; 0 means the default
	// of session.Limits. A Run has it in its own limits.
	ClientTimeout time.Duration
}

// limits are those of a session with a real client.
func (o InPath) limits() session.Limits {
	l := session.DefaultLimits()
	if o.ClientTimeout > 0 {
		l.Timeout = o.ClientTimeout
	}
	return l
}

// on reports whether anything decides.
func (o InPath) on() bool { return o.Policy != nil || len(o.Faults) > 0 }

// intercept returns what decides on the messages of one session, whose record is told what is
// in force. It is to be closed. keeps stops the clock of our own client while messages are held;
// nil = the client is another's.
func (o InPath) intercept(tap *transport.Tap, hdr *session.Header, keeps func(held bool)) *control.Interceptor {
	cfg := control.InterceptConfig{Faults: o.Faults, Over: over(hdr), Note: tap.Path, Keeps: keeps, Timeout: func(sender session.Stream, method string) time.Duration {
		if keeps != nil && sender == session.C2S {
			return 0
		}
		return max(AnswerLimit(hdr, method), 0)
	}}
	if o.Policy != nil {
		cfg.Policy = o.Policy
		cfg.PolicyText = func() string { return o.Policy.Event("").Text }
		tap.Path(o.Policy.Event("on"))
	}
	if len(o.Faults) > 0 {
		tap.Path(session.PathEvent{Event: "on", What: "faults", Text: o.Faults.String()})
	}
	return control.NewInterceptor(cfg)
}

// over is the transport over which the faults of a session work.
func over(hdr *session.Header) fault.Where {
	switch {
	case hdr.Trans == "stdio":
		return fault.Stdio
	}
	return fault.HTTP
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
		if ev.Event == session.PathBroken {
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

// bodyJudge has an Interceptor decide on the bodies of round trips.
type bodyJudge struct{ i *control.Interceptor }

// On implements http.Judge.
func (j bodyJudge) On() bool { return j.i.On() }

// Text implements http.Judge. Bodies have no order.
func (j bodyJudge) Text(conn int, s session.Stream, text []byte, head func() http.Head) http.Ruling {
	var mirrors []session.HTTPField
	if s == session.C2S {
		mirrors = head().Fields
	}
	r, wait := j.i.Text(decide.Body, conn, s, text, false, mirrors...)
	if wait != nil && s == session.S2C {
		h := head()
		wait.Status, wait.Header = h.Status, h.Fields
	}
	return ruled(&r, wait)
}

// Event implements http.Judge.
func (j bodyJudge) Event(conn int, text []byte, headless bool) http.Ruling {
	carrier := decide.Event
	if headless {
		carrier = decide.FirstEvent
	}
	r, wait := j.i.Text(carrier, conn, session.S2C, text, true)
	return ruled(&r, wait)
}

// ruled is a ruling as a round trip takes it.
func ruled(r *decide.Ruling, wait *control.Waiting) http.Ruling {
	if wait == nil {
		return http.Ruling{By: r.By, Pass: r.Pass, Text: r.Text, Back: r.Back, More: r.More, Delay: r.Delay, Effect: r.Effect}
	}
	return http.Ruling{By: wait.By, Hold: func(settle http.Settle) func() {
		return wait.Hold(func(s control.Settled, written func()) {
			settle(http.Ruling{By: s.By, Text: s.Text, Back: s.Back, Effect: s.Effect, Head: http.Head{Status: s.Choice.Status, Fields: s.Choice.Header}}, written)
		})
	}}
}

// Heads implements http.Judge.
func (j bodyJudge) Heads() bool { return j.i.Heads() }

// TooLong implements http.Judge.
func (j bodyJudge) TooLong() string { return j.i.TooLong() }
