package capture

import (
	"context"
	"fmt"
	"time"

	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// An InPath says what decides on the messages of a session before they are forwarded. The
// zero InPath lets them pass.
type InPath struct {
	Policy *path.PolicyFile // Policy is a policy; nil = there is none.
	Faults path.Faults      // Faults break messages, after the policy; see path.Faults.Over.

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
func (o InPath) intercept(tap *transport.Tap, hdr *session.Header, keeps func(held bool)) *path.Interceptor {
	cfg := path.InterceptConfig{Faults: o.Faults, Over: over(hdr), Note: tap.Path, Keeps: keeps, Timeout: func(sender session.Stream, method string) time.Duration {
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
	return path.NewInterceptor(cfg)
}

// over is the transport over which the faults of a session work.
func over(hdr *session.Header) path.Where {
	switch {
	case hdr.Trans == "stdio":
		return path.Stdio
	}
	return path.HTTP
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
