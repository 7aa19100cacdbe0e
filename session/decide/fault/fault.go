package fault

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wiretea/session"
	"wiretea/session/decide"
)

// A Fault is one fault, compiled.
type Fault struct {
	Spec string // Spec is its text, as it was given.

	filter  *session.Filter
	kind    *Kind
	words   string // words are the kind and its argument, for the record.
	value   value
	chance  float64
	most    int // most is how often it applies; 0 = as often as it can.
	mu      sync.Mutex
	applied int
	rand    [2]*rand.Rand // rand has one for each direction.
}

// Parse compiles a fault.
func Parse(spec string) (*Fault, error) {
	var first error
	for end := len(spec); ; {
		at := strings.LastIndex(spec[:end], ": ")
		if at < 0 && strings.HasPrefix(spec[:end], ":") {
			at = 0
		}
		if at < 0 {
			break
		}
		f, err := compile(spec, spec[:at], strings.TrimSpace(spec[at+1:]))
		if err == nil {
			return f, nil
		}
		if first == nil {
			first = err
		}
		end = at
		if at == 0 {
			break
		}
	}
	if first == nil {
		first = fmt.Errorf("it has the form FILTER: KIND(ARGUMENT), as in m:tools/call: delay(2s)")
	}
	return nil, fmt.Errorf("fault %q: %w", spec, first)
}

// compile compiles a filter and what follows it.
func compile(spec, filter, rest string) (*Fault, error) {
	f := &Fault{Spec: spec, chance: 1}
	name := rest[:strings.IndexFunc(rest+" ", func(r rune) bool { return r == '(' || r == ' ' })]
	i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%q is not a kind of fault: %s", name, strings.Join(names(), ", "))
	}
	f.kind = &Kinds()[i]
	rest, argument := rest[len(name):], ""
	if strings.HasPrefix(rest, "(") {
		end := strings.LastIndexByte(rest, ')')
		if end < 0 {
			return nil, fmt.Errorf("%s( has no )", name)
		}
		argument, rest = rest[1:end], rest[end+1:]
	}
	var err error
	if f.value, err = f.kind.read(argument); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.words = name
	if argument != "" {
		f.words += "(" + argument + ")"
	}
	seed, err := f.options(strings.Fields(rest))
	if err != nil {
		return nil, err
	}
	for s := range f.rand {
		f.rand[s] = rand.New(rand.NewPCG(seed, uint64(s)))
	}
	if f.filter, err = session.ParseFilter(filter); err == nil {
		err = f.filter.CheckPassing()
	}
	if err != nil {
		return nil, fmt.Errorf("filter %q: %w", filter, err)
	}
	return f, nil
}

// options reads p, n and seed.
func (f *Fault) options(words []string) (seed uint64, err error) {
	for _, word := range words {
		key, text, _ := strings.Cut(word, "=")
		switch key {
		case "p":
			f.chance, err = strconv.ParseFloat(text, 64)
			if err == nil && !(f.chance >= 0 && f.chance <= 1) {
				err = strconv.ErrRange
			}
		case "n":
			f.most, err = strconv.Atoi(text)
			if err == nil && f.most < 1 {
				err = strconv.ErrRange
			}
		case "seed":
			seed, err = strconv.ParseUint(text, 10, 64)
		default:
			err = strconv.ErrSyntax
		}
		if err != nil {
			return 0, fmt.Errorf("%q: behind the kind come p=0.1 (the probability), n=3 (how often at most) and seed=7", word)
		}
	}
	return seed, nil
}

// Faults are faults in their order.
type Faults []*Fault

// String says what is in force.
func (all Faults) String() string {
	specs := make([]string, len(all))
	for i, f := range all {
		specs[i] = f.Spec
	}
	return strings.Join(specs, "; ")
}

// Decide implements decide.Decider.
func (all Faults) Decide(m *decide.Message) decide.Decision {
	if m.Batch {
		return decide.Decision{}
	}
	for _, f := range all {
		if f.filter.Passing(&m.Passing) != session.Yes {
			continue
		}
		if d, ok := f.apply(m); ok {
			return d
		}
	}
	return decide.Decision{}
}

// OnError implements decide.Decider: what cannot be read passes.
func (all Faults) OnError(string) decide.Decision { return decide.Decision{} }

// apply draws whether the fault applies to a message that its filter matches, and reports
// whether it does.
func (f *Fault) apply(m *decide.Message) (decide.Decision, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.most > 0 && f.applied >= f.most {
		return decide.Decision{}, false
	}
	random := f.rand[m.Stream&1]
	if random.Float64() >= f.chance {
		return decide.Decision{}, false
	}
	d, ok := f.kind.apply(m, f.value, random)
	if !ok {
		return decide.Decision{}, false
	}
	f.applied++
	d.Verb, d.By = decide.Alter, "fault: "+f.words
	return d, true
}
