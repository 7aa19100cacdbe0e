package path

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/mcp"
)

// A Fault is one fault, compiled.
type Fault struct {
	Spec  string // Spec is its text, as it was given.
	Owner uint64 // Owner is the place in the path that has set it, with which it ends; 0 for none.

	filter  *filter.Filter
	kind    *FaultKind
	words   string // words are the kind and its argument, for the record.
	value   value
	chance  float64
	most    int    // most is how often it applies; 0 = as often as it can.
	seeded  bool   // seeded: it has a seed of its own.
	given   string // given is the seed that Seed gave it, as it is written in a spec; empty = it gave none.
	mu      sync.Mutex
	applied int
	state   state
	rand    [2]*rand.Rand // rand has one for each direction.
}

// Kind is the fault's kind.
func (f *Fault) Kind() *FaultKind { return f.kind }

// Seed gives a fault that has no seed of its own one. It is called before the fault is used,
// and the first call counts.
func (f *Fault) Seed(seed uint64) {
	if !f.seeded && f.given == "" {
		f.seed(seed)
		f.given = fmt.Sprintf(" seed=%d", seed)
	}
}

// Text is Spec with the seed that Seed has given: ParseFault makes the same fault of it again.
func (f *Fault) Text() string { return f.Spec + f.given }

func (f *Fault) seed(seed uint64) {
	for s := range f.rand {
		f.rand[s] = rand.New(rand.NewPCG(seed, uint64(s)))
	}
}

// A FaultError says what is wrong with a fault, and where.
type FaultError struct {
	Spec string
	At   int // At is where in Spec, in characters from 1.
	Err  error
}

// Error implements error, in one line.
func (e *FaultError) Error() string {
	return fmt.Sprintf("fault %q, character %d: %v", e.Spec, e.At, e.Err)
}

// Unwrap returns what is wrong.
func (e *FaultError) Unwrap() error { return e.Err }

// ParseFault compiles a fault. The error is an *FaultError.
func ParseFault(spec string) (*Fault, error) {
	var first *FaultError
	for end := len(spec); ; {
		at := strings.LastIndex(spec[:end], ": ")
		if at < 0 && strings.HasPrefix(spec[:end], ":") {
			at = 0
		}
		if at < 0 {
			break
		}
		rest := strings.TrimLeft(spec[at+1:], " ")
		f, off, err := compileFault(spec, spec[:at], strings.TrimRight(rest, " "))
		if err == nil {
			return f, nil
		}
		if off >= 0 {
			off += len(spec) - len(rest)
		}
		if first == nil {
			first = &FaultError{Spec: spec, At: utf8.RuneCountInString(spec[:max(0, off)]) + 1, Err: err}
		}
		end = at
		if at == 0 {
			break
		}
	}
	if first == nil {
		first = &FaultError{Spec: spec, At: utf8.RuneCountInString(spec) + 1, Err: fmt.Errorf("it has the form FILTER: KIND(ARGUMENT), as in m:tools/call: delay(2s)")}
	}
	return nil, first
}

// compileFault compiles the text of a filter and what follows it. What is wrong is at the offset in
// rest; below 0 = in the filter.
func compileFault(spec, text, rest string) (f *Fault, off int, err error) {
	f = &Fault{Spec: spec, chance: 1}
	name := rest[:strings.IndexFunc(rest+" ", func(r rune) bool { return r == '(' || r == ' ' })]
	i := slices.IndexFunc(FaultKinds(), func(k FaultKind) bool { return k.Name == name })
	if i < 0 {
		return nil, 0, fmt.Errorf("%q is not a kind of fault: %s", name, strings.Join(kindNames(), ", "))
	}
	f.kind = &FaultKinds()[i]
	tail, argument := rest[len(name):], ""
	if strings.HasPrefix(tail, "(") {
		end := strings.LastIndexByte(tail, ')')
		if end < 0 {
			return nil, len(name), fmt.Errorf("%s( has no )", name)
		}
		argument, tail = tail[1:end], tail[end+1:]
	}
	if f.value, err = f.kind.read(argument); err != nil {
		return nil, min(len(name)+1, len(rest)), fmt.Errorf("%s: %w", name, err)
	}
	f.words = name
	if argument != "" {
		f.words += "(" + argument + ")"
	}
	f.seed(0)
	if off, err = f.options(tail); err != nil {
		return nil, len(rest) - len(tail) + off, err
	}
	if f.filter, err = filter.Parse(text); err == nil {
		err = f.filter.CheckPassing()
	}
	if err != nil {
		return nil, -1, fmt.Errorf("filter %q: %w", text, err)
	}
	return f, 0, nil
}

// options reads p, n and seed. What is wrong is at the offset.
func (f *Fault) options(text string) (off int, err error) {
	for word := range strings.FieldsSeq(text) {
		off = strings.Index(text[off:], word) + off
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "p":
			f.chance, err = strconv.ParseFloat(value, 64)
			if err == nil && !(f.chance >= 0 && f.chance <= 1) {
				err = strconv.ErrRange
			}
		case "n":
			f.most, err = strconv.Atoi(value)
			if err == nil && f.most < 1 {
				err = strconv.ErrRange
			}
		case "seed":
			var seed uint64
			seed, err = strconv.ParseUint(value, 10, 64)
			f.seeded = true
			f.seed(seed)
		default:
			err = strconv.ErrSyntax
		}
		if err != nil {
			return off, fmt.Errorf("%q: behind the kind come p=0.1 (the probability), n=3 (how often at most) and seed=7", word)
		}
		off += len(word)
	}
	return 0, nil
}

// Faults are faults in their order.
type Faults []*Fault

// Over returns an error for the first fault that cannot work over a transport: Stdio or HTTP,
// or Everywhere for a way that is neither alone.
func (all Faults) Over(transport Where) error {
	for _, f := range all {
		if w := f.kind.Where; w != Everywhere && w != transport {
			return fmt.Errorf("fault %q: %s works over %v alone", f.Spec, f.kind.Name, w)
		}
	}
	return nil
}

// Heads reports whether one of them may change the head of a response.
func (all Faults) Heads() bool {
	return slices.ContainsFunc(all, func(f *Fault) bool {
		return f.kind.Name == "status"
	})
}

// String says what is in force.
func (all Faults) String() string {
	specs := make([]string, len(all))
	for i, f := range all {
		specs[i] = f.Spec
	}
	return strings.Join(specs, "; ")
}

// Decide implements Decider.
func (all Faults) Decide(m *Message) session.Ruling {
	for _, f := range all {
		if d, ok := f.decide(m); ok {
			return d
		}
	}
	return session.Ruling{}
}

// OnError implements Decider: what cannot be read passes.
func (all Faults) OnError(string) session.Ruling { return session.Ruling{} }

// decide decides on a message, and reports whether the fault applies to it.
func (f *Fault) decide(m *Message) (session.Ruling, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.state.lanes) > 0 {
		if p := f.state.at(m); p.holds() && (!m.Batch || p.shut) {
			return f.said(p.held(m)), true
		}
	}
	if m.Batch || f.filter.Passing(&m.Passing) != filter.Yes {
		return session.Ruling{}, false
	}
	if f.most > 0 && f.applied >= f.most {
		return session.Ruling{}, false
	}
	f.state.random = f.rand[m.Stream&1]
	if f.state.random.Float64() >= f.chance {
		return session.Ruling{}, false
	}
	d, ok := f.kind.apply(m, f.value, &f.state)
	if !ok || m.Again && !afterHold(m, &d) {
		return session.Ruling{}, false
	}
	f.applied++
	if m.Method == mcp.Initialize && !f.kind.same {
		if d.Effect == nil {
			d.Effect = new(session.Effect)
		}
		d.Effect.Lasts = true // All that follows was agreed on in it.
	}
	return f.said(d), true
}

// afterHold reports whether a decision can be carried out for a message that was held: it goes
// on in another way than those that were not.
func afterHold(m *Message, d *session.Ruling) bool {
	e := d.Effect
	if m.Carrier != session.ByLine {
		return e == nil && d.Delay == 0 && len(d.More) == 0
	}
	return e == nil || !e.Behind
}

// said is a decision in the name of the fault.
func (f *Fault) said(d session.Ruling) session.Ruling {
	d.Verb, d.By = session.Alter, ByFault+f.words
	return d
}

// ByFault begins Ruling.By, and what the record says of a fault.
const ByFault = "fault: "
