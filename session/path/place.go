package path

import (
	"context"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/filter"
)

// A place is a session.Intercept in the process that forwards the messages.
type place struct {
	i      *Interceptor
	id     uint64
	by     string
	news   chan struct{}
	closed bool // closed, own and filter are guarded by i.mu; own and filter are replaced with the place's copy in i.holders.
	own    session.Interception
	filter *filter.Filter
}

// maxPlaces is how many places a session has at most.
const maxPlaces = 64

// Open opens a place. by names it, for people and for the record: "screen".
func (i *Interceptor) Open(by string) (session.Intercept, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.closed:
		return nil, session.ErrGone
	case len(i.places) >= maxPlaces:
		return nil, refuse("%d places are open", maxPlaces)
	}
	i.lastPlace++
	p := &place{i: i, id: i.lastPlace, by: by, news: make(chan struct{}, 1), own: session.Interception{By: by}}
	p.news <- struct{}{}
	i.places = append(i.places, p)
	return p, nil
}

// State implements session.Intercept.
func (p *place) State() *session.InterceptState {
	i := p.i
	s := &session.InterceptState{Held: []session.Held{}}
	if i.cfg.PolicyText != nil {
		s.Policy = i.cfg.PolicyText()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, e := range i.entries {
		if e.held != nil && !e.claimed {
			s.Held = append(s.Held, e.shown)
		}
	}
	for _, other := range i.places {
		if other.own.Filter != "" {
			s.Places = append(s.Places, other.own)
		}
	}
	for _, f := range i.faults {
		s.Faults = append(s.Faults, f.Spec)
	}
	s.Own, s.Decided, s.Last = p.own, i.decided, i.latest
	return s
}

// Changed implements session.Intercept.
func (p *place) Changed() <-chan struct{} { return p.news }

// Text implements session.Intercept.
func (p *place) Text(_ context.Context, id uint64) ([]byte, error) {
	p.i.mu.Lock()
	defer p.i.mu.Unlock()
	for _, e := range p.i.entries {
		if e.held != nil && !e.claimed && e.shown.ID == id {
			return e.held.Text, nil
		}
	}
	return nil, session.ErrNotHeld
}

// Decide implements session.Intercept.
func (p *place) Decide(_ context.Context, ids []uint64, c session.Choice) error {
	return p.i.choose(p, ids, c)
}

// Intercept implements session.Intercept.
func (p *place) Intercept(_ context.Context, in session.Interception) error {
	var f *filter.Filter
	if in.Filter != "" {
		var err error
		if f, err = filter.Parse(in.Filter); err == nil {
			err = f.CheckPassing()
		}
		if err != nil {
			return refuse("filter %q: %v", in.Filter, err)
		}
	}
	if in.Percent < 0 {
		return refuse("%d %% of the timeout: it is 1 to 100, or more for no release", in.Percent)
	}
	i := p.i
	i.mu.Lock()
	if p.closed || i.closed {
		i.mu.Unlock()
		return session.ErrGone
	}
	in.By = p.by
	p.own, p.filter = in, f
	tell := i.hold()
	i.mu.Unlock()
	tell()
	if f == nil {
		p.release("released by " + p.by)
	}
	i.adjust()
	return nil
}

// hold sets which places hold messages, and returns what records that; i.mu is held.
func (i *Interceptor) hold() (tell func()) {
	holders, filters := []*place{}, []string{}
	for _, p := range i.places {
		if p.filter != nil {
			copied := *p // Messages are decided on without i.mu.
			holders = append(holders, &copied)
			filters = append(filters, p.own.Filter+" (by "+p.by+")")
		}
	}
	ev, was := session.PathEvent{What: "hold", Text: strings.Join(filters, "; ")}, i.told
	i.told = ev.Text
	i.holders.Store(&holders)
	i.changed()
	switch {
	case ev.Text == was:
		return func() {}
	case ev.Text == "":
		ev.Event = "off"
	case was == "":
		ev.Event = "on"
	default:
		ev.Event = "changed"
	}
	return func() { i.note(ev) }
}

// SetFaults implements session.Intercept.
func (p *place) SetFaults(_ context.Context, specs []string) error {
	return p.i.setFaults(specs, p)
}

// release releases what the place holds, and holds no responses any more.
func (p *place) release(words string) {
	i := p.i
	i.mu.Lock()
	for key, at := range i.following {
		if at == p.id {
			delete(i.following, key)
		}
	}
	i.follows.Store(int64(len(i.following)))
	var mine []*entry
	for _, e := range i.entries {
		if e.held != nil && !e.claimed && e.held.Wait.Place == p.id {
			mine = append(mine, e)
		}
	}
	claim(mine)
	i.mu.Unlock()
	for _, e := range mine {
		i.conclude(e, words, func() session.Ruling {
			return i.path.Release(e.held, e.held.Text, e.held.By+"; "+words)
		})
	}
	i.issue()
}

// Close implements session.Intercept.
func (p *place) Close() error {
	i := p.i
	i.mu.Lock()
	if p.closed || i.closed {
		i.mu.Unlock()
		return nil
	}
	p.closed, p.filter = true, nil
	i.places = slices.DeleteFunc(i.places, func(other *place) bool { return other == p })
	close(p.news)
	tell, over := i.hold(), func() {}
	if left := slices.DeleteFunc(slices.Clone(i.faults), func(f *Fault) bool { return f.Owner == p.id }); len(left) < len(i.faults) {
		over = i.putFaults(left, p.by+" has left")
	}
	i.mu.Unlock()
	tell()
	over()
	p.release("released, " + p.by + " has left")
	i.adjust()
	return nil
}
