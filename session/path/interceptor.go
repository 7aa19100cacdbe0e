package path

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// An InterceptConfig describes an Interceptor. Its zero value holds nothing before somebody
// opens a place.
type InterceptConfig struct {
	Policy     Decider       // Policy decides first; nil = there is none.
	PolicyText func() string // PolicyText says what it is; it goes with Policy.
	Over       Where         // Over is the transport over which faults that are set later must work; see Faults.Over.
	Faults     Faults        // Faults break what the policy and people let pass.

	// Note records an event of what decides; nil does nothing.
	Note func(session.PathEvent)

	// Timeout is for how long the sender of a request waits for its response, 0 where it
	// waits for ever or that is not known. Nil means that it is not known.
	Timeout func(sender session.Stream, method string) time.Duration

	// Keeps is called when a first message is held, and when none is any more; nil does nothing. It
	// returns at once and calls no method of the Interceptor.
	Keeps func(held bool)
}

// An Interceptor decides on the messages of one session: a policy, then people, then faults.
// What is held, it keeps; the transport has recorded it before.
type Interceptor struct {
	cfg  InterceptConfig
	path Path

	switching sync.Mutex        // switching is held while gates is used, and on changes.
	gates     []*transport.Gate // gates are those of the connections over stdio.
	on        atomic.Bool       // on: messages have to be decided on.

	unrecorded atomic.Bool // unrecorded: the decisions are not in a record.

	holders atomic.Pointer[[]*place] // holders are the places that have a filter, and follows those of them.
	follows atomic.Int64             // follows is len(following).

	mu        sync.Mutex
	issued    sync.Cond // issued is signalled when a decision was given to the transport.
	places    []*place
	lastPlace uint64
	lastID    uint64
	faults    Faults
	entries   []*entry          // entries are held, or wait behind one that is, in their order, until they are written.
	byKey     map[Key]*entry    // byKey are the last entries of ordered streams with each key.
	size      int               // size is the length of their texts in bytes.
	kept      int               // kept counts those that are not decided on.
	ready     []*entry          // ready are decided on and wait for nothing.
	issuing   bool              // issuing: a goroutine gives the decisions on those to the transport.
	following map[Key]uint64    // following are the responses that are held too, by their places.
	ended     map[streamOf]bool // ended are streams that have ended: nothing of theirs is held.
	version   uint64            // version changes with the state.
	decided   uint64
	latest    string
	told      string // told is what was recorded last of the filters in force.
	over      bool   // over: the session ends, and nothing is held any more.
	closed    bool
}

// streamOf is a stream of a connection.
type streamOf struct {
	conn   int
	stream session.Stream
}

const (
	// MaxHeld is how many messages are held at most, and MaxHeldBytes their size. More are
	// decided on by their deciders' on_error.
	MaxHeld      = 10_000
	MaxHeldBytes = 32 << 20

	// DefaultPercent is session.Interception.Percent where that is 0.
	DefaultPercent = 80

	// DefaultWait is how long a policy waits for a person where nothing says how long.
	DefaultWait = time.Minute
)

// NewInterceptor returns an Interceptor. It is to be closed.
func NewInterceptor(cfg InterceptConfig) *Interceptor {
	i := &Interceptor{cfg: cfg, faults: cfg.Faults, following: map[Key]uint64{}, ended: map[streamOf]bool{}, byKey: map[Key]*entry{}}
	i.issued.L = &i.mu
	i.use()
	i.adjust()
	return i
}

// note records an event.
func (i *Interceptor) note(ev session.PathEvent) {
	if i.cfg.Note != nil {
		i.cfg.Note(ev)
	}
}

// use sets who decides.
func (i *Interceptor) use() {
	var deciders []Decider
	if i.cfg.Policy != nil {
		deciders = append(deciders, recorded{i.cfg.Policy, &i.unrecorded})
	}
	deciders = append(deciders, people{i})
	if len(i.faults) > 0 {
		deciders = append(deciders, i.faults)
	}
	i.path.Use(deciders...)
}

// Recording returns a function that is called with the reason when the decisions cannot be
// recorded, and with nil when they can again; it calls next, if that is not nil. Meanwhile
// on_error of the policy decides on requests and notifications.
func (i *Interceptor) Recording(next func(reason error)) func(reason error) {
	return func(reason error) {
		if i != nil {
			i.unrecorded.Store(reason != nil)
		}
		if next != nil {
			next(reason)
		}
	}
}

// A recorded is a policy whose decisions are to be in a record.
type recorded struct {
	Decider
	lost *atomic.Bool // lost: they are not.
}

// Decide implements Decider.
func (r recorded) Decide(m *Message) session.Ruling {
	if r.lost.Load() && (m.Kind == session.RowRequest || m.Kind == session.RowNotification) && !slices.Contains(exempt, m.Method) {
		if d := r.OnError("its decisions cannot be recorded"); d.Verb == session.Refuse {
			return d
		}
	}
	return r.Decider.Decide(m)
}

// adjust switches the deciding on or off.
func (i *Interceptor) adjust() {
	i.switching.Lock()
	defer i.switching.Unlock()
	i.mu.Lock()
	on := i.cfg.Policy != nil || len(i.faults) > 0 || len(*i.holding()) > 0 || len(i.following) > 0 || len(i.entries) > 0
	i.mu.Unlock()
	if on == i.on.Swap(on) {
		return
	}
	for _, g := range i.gates {
		i.decideAt(g, on)
	}
}

func (i *Interceptor) decideAt(g *transport.Gate, on bool) {
	if on {
		g.Decide(i)
	} else {
		g.Decide(nil)
	}
}

// On implements session.Judge.
func (i *Interceptor) On() bool { return i.on.Load() }

// Heads implements session.Judge.
func (i *Interceptor) Heads() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.faults.Heads()
}

// Guard has a Gate do as the Interceptor decides, until release is called.
func (i *Interceptor) Guard(g *transport.Gate) (release func()) {
	i.switching.Lock()
	defer i.switching.Unlock()
	i.gates = append(i.gates, g)
	i.decideAt(g, i.on.Load())
	return func() {
		i.switching.Lock()
		defer i.switching.Unlock()
		i.gates = slices.DeleteFunc(i.gates, func(other *transport.Gate) bool { return other == g })
	}
}

// holding are the places that have a filter.
func (i *Interceptor) holding() *[]*place {
	if at := i.holders.Load(); at != nil {
		return at
	}
	return new([]*place)
}

// people are the places, as they decide on messages.
type people struct{ *Interceptor }

// exempt are the methods that a session needs: the default of a policy does not apply to them, and they are
// held only where a filter names them.
var exempt = []string{
	mcp.Initialize, mcp.InitializedNotification, mcp.ServerDiscover, mcp.Ping, mcp.CancelledNotification, mcp.ProgressNotification,
}

// Decide implements Decider.
func (i people) Decide(m *Message) session.Ruling {
	places := *i.holding()
	if len(places) == 0 && i.follows.Load() == 0 || m.Again {
		return session.Ruling{}
	}
	for _, p := range places {
		if p.filter.Passing(&m.Passing) == filter.Yes && (!slices.Contains(exempt, m.Method) || p.filter.NamesMethod(m.Method)) {
			return session.Ruling{Verb: session.Hold, By: "hold: " + p.own.Filter, Wait: session.Wait{Place: p.id, Percent: p.own.Percent}}
		}
	}
	if m.Kind != session.RowResult && m.Kind != session.RowError {
		return session.Ruling{}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	key := Key{Scope: m.Scope, Stream: m.Stream, Kind: ResponseKey, Raw: m.ID}
	at, follows := i.following[key]
	if !follows {
		return session.Ruling{}
	}
	delete(i.following, key)
	i.follows.Store(int64(len(i.following)))
	return session.Ruling{Verb: session.Hold, By: followed, Wait: session.Wait{Place: at}}
}

// followed is who holds the response to a request that was held.
const followed = "hold: " + session.ByFollowed

// OnError implements Decider: people are not asked about what cannot be read.
func (people) OnError(string) session.Ruling { return session.Ruling{} }

// setFaults compiles and sets the faults, for a place.
func (i *Interceptor) setFaults(specs []string, p *place) error {
	var faults Faults
	for _, spec := range specs {
		f, err := ParseFault(spec)
		if err != nil {
			return refuse("%v", err)
		}
		faults = append(faults, f)
	}
	if err := faults.Over(i.cfg.Over); err != nil {
		return refuse("%v", err)
	}
	i.mu.Lock()
	if p.closed || i.closed {
		i.mu.Unlock()
		return session.ErrGone
	}
	for _, f := range faults {
		f.Owner = p.id
		if at := slices.IndexFunc(i.faults, func(was *Fault) bool { return was.Spec == f.Spec }); at >= 0 {
			f.Owner = i.faults[at].Owner
		}
	}
	tell := i.putFaults(faults, "by "+p.by)
	i.mu.Unlock()
	i.adjust()
	tell()
	return nil
}

// putFaults sets the faults, and returns what records that; mu is held.
func (i *Interceptor) putFaults(faults Faults, by string) (tell func()) {
	ev := session.PathEvent{Event: "changed", What: "faults", Text: faults.String() + " (" + by + ")"}
	switch had := len(i.faults) > 0; {
	case len(faults) == 0 && !had:
		return func() {}
	case len(faults) == 0:
		ev.Event, ev.Text = "off", by
	case !had:
		ev.Event = "on"
	}
	i.faults = faults
	i.use()
	i.changed()
	return func() { i.note(ev) }
}

// keep counts messages that are held, or with a negative n not any more; mu is held.
func (i *Interceptor) keep(n int) {
	was := i.kept
	if i.kept += n; i.cfg.Keeps != nil && (was == 0) != (i.kept == 0) {
		i.cfg.Keeps(was == 0)
	}
}

// changed tells the places that the state has changed; mu is held.
func (i *Interceptor) changed() {
	i.version++
	for _, p := range i.places {
		select {
		case p.news <- struct{}{}:
		default: // It has a token.
		}
	}
}

// Close ends the places. What is held then stays where it is: the session has ended.
func (i *Interceptor) Close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return
	}
	i.closed = true
	for _, p := range i.places {
		close(p.news)
	}
	i.places = nil
	i.holders.Store(nil)
	for _, e := range i.entries {
		e.stop()
	}
}

// took words how long something was held.
func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
