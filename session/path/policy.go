package path

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"wiretea/session"
	"wiretea/session/filter"
)

// An Action is what a rule says.
type Action uint8

const (
	Allow Action = iota // Allow forwards the message.
	Deny                // Deny does not forward it, and answers a request.
	Log                 // Log forwards it, and the record names the rule.
	Ask                 // Ask holds it until a person allows or denies it.
	Hold                // Hold holds it until a person says what becomes of it.
)

var actions = []string{"allow", "deny", "log", "ask", "hold"}

// String returns the action's word.
func (a Action) String() string { return actions[a] }

// A Rule is one rule.
type Rule struct {
	ID     string // ID names the rule; rule-N where the file gives none.
	Filter string
	Action Action
	Reason string // Reason is told to the sender of a denied message, and to who is asked; empty for none.

	// Timeout is for how long Ask and Hold wait for a person; 0 = for 80 % of the time that
	// the sender of a request waits for its response. Then TimedOut applies: Allow or Deny.
	Timeout  time.Duration
	TimedOut Action

	filter    *filter.Filter
	byName    bool  // byName: method, target, kind and stream decide.
	responses bool  // responses: it judges responses too.
	searches  bool  // searches: it looks into the text.
	needs     []int // needs are texts of Policy.texts of which a message has at least one where the filter matches; nil = it may have none.
}

// A Policy is a compiled policy.
type Policy struct {
	Rules   []Rule
	Default Action // Default is Allow or Deny.
	Closed  bool   // Closed: what cannot be decided on is denied; else it passes.

	// OnExit is what becomes of what waits for a person when the session ends: Allow or Deny,
	// or Log where the file does not say it: what Ask holds is denied, what Hold holds allowed.
	OnExit Action

	texts filter.Texts // texts are those that the filters of rules search bodies for.

	budget int // budget is how many bytes of text are searched for one message at most.

	mu    sync.RWMutex
	known map[ruleName]verdict // known are the verdicts of which the names of a message decide.
}

// defaultID is the id under which the default denies, and errorID that of on_error.
const (
	defaultID = "default"
	errorID   = "on_error"
)

// searchBudget is how many bytes of text are searched for one message at most, by all rules: 16
// rules search the longest message, 250 rules one of a megabyte. It takes seconds.
const searchBudget = 256 << 20

// spent says what cannot be told, beyond that.
const spent = "the message is too long for so many rules that search it"

// maxRules is how many rules a policy has at most.
const maxRules = 10_000

// policyFile is the text of a policy.
type policyFile struct {
	Default string `toml:"default"`
	OnError string `toml:"on_error"`
	OnExit  string `toml:"on_exit"`
	Rule    []struct {
		ID        string `toml:"id"`
		Filter    string `toml:"filter"`
		Action    string `toml:"action"`
		Reason    string `toml:"reason"`
		Timeout   string `toml:"timeout"`
		OnTimeout string `toml:"on_timeout"`
	} `toml:"rule"`
}

// longestTimeout is how long a rule may wait for a person at most.
const longestTimeout = 24 * time.Hour

// ParsePolicy compiles a policy. The error says in one line where the first fault is.
func ParsePolicy(text []byte) (*Policy, error) {
	p := &Policy{budget: searchBudget, known: map[ruleName]verdict{}}
	var f policyFile
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return nil, fileError(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s is not a key of a policy: it has default, on_error, on_exit, and [[rule]] with id, filter, action, reason, timeout and on_timeout", unknown[0])
	}
	if p.Default, err = action("default", f.Default, "allow", "deny"); err != nil {
		return nil, err
	}
	closed, err := action("on_error", f.OnError, "open", "closed")
	if err != nil {
		return nil, err
	}
	p.Closed = closed == Deny
	p.OnExit = Log
	if f.OnExit != "" {
		if p.OnExit, err = action("on_exit", f.OnExit, "allow", "deny"); err != nil {
			return nil, err
		}
	}
	if len(f.Rule) > maxRules {
		return nil, fmt.Errorf("%d rules: a policy has at most %d", len(f.Rule), maxRules)
	}
	ids := map[string]bool{defaultID: true, errorID: true}
	for i, text := range f.Rule {
		r := Rule{ID: text.ID, Filter: text.Filter, Reason: text.Reason}
		if r.ID == "" {
			r.ID = fmt.Sprintf("rule-%d", i+1)
		}
		err := r.compile(text.Action)
		if err == nil {
			err = r.wait(text.Timeout, text.OnTimeout)
		}
		if err != nil {
			return nil, fmt.Errorf("rule %q: %w", r.ID, err)
		}
		if ids[r.ID] {
			return nil, fmt.Errorf("rule %q: another rule has this id", r.ID)
		}
		ids[r.ID] = true
		r.needs = p.needs(r.filter.Needs())
		p.Rules = append(p.Rules, r)
	}
	p.texts.Build()
	return p, nil
}

// needs returns the indexes of texts; none where one of them cannot be looked for.
func (p *Policy) needs(texts []string) (list []int) {
	for _, text := range texts {
		i, ok := p.texts.Add(text)
		if !ok {
			return nil
		}
		list = append(list, i)
	}
	return list
}

// word reads a key that has one of two values, the first of which it means when absent.
func action(key, text, first, second string) (Action, error) {
	switch text {
	case "", first:
		return Allow, nil
	case second:
		return Deny, nil
	}
	return 0, fmt.Errorf("%s = %q: it is %s or %s", key, text, first, second)
}

func (r *Rule) compile(action string) error {
	i := slices.Index(actions, action)
	if i < 0 {
		return fmt.Errorf("action = %q: it is %s", action, strings.Join(actions, ", "))
	}
	r.Action = Action(i)
	var err error
	if r.filter, err = filter.Parse(r.Filter); err == nil {
		err = r.filter.CheckPassing()
	}
	if err != nil {
		return fmt.Errorf("filter = %q: %w", r.Filter, err)
	}
	r.searches, r.byName, r.responses = r.filter.Searches(), r.filter.ByName(), r.filter.Responses()
	return nil
}

// wait reads how long the rule waits for a person.
func (r *Rule) wait(timeout, then string) (err error) {
	if r.Action != Ask && r.Action != Hold {
		if timeout != "" || then != "" {
			return fmt.Errorf("timeout and on_timeout are for ask and hold, and its action is %s", r.Action)
		}
		return nil
	}
	if timeout != "" {
		r.Timeout, err = time.ParseDuration(timeout)
		if err != nil || r.Timeout <= 0 || r.Timeout > longestTimeout {
			return fmt.Errorf("timeout = %q: it is a time of at most %v, such as 30s", timeout, longestTimeout)
		}
	}
	if r.TimedOut, err = action("on_timeout", then, "allow", "deny"); then == "" && r.Action == Ask {
		r.TimedOut = Deny
	}
	return err
}

// String says in a few words what is in force.
func (p *Policy) String() string {
	rules := fmt.Sprintf("%d rules", len(p.Rules))
	if len(p.Rules) == 1 {
		rules = "1 rule"
	}
	words := rules + ", default " + p.Default.String()
	if p.Closed {
		words += ", on_error closed"
	}
	return words
}

// Decide implements Decider.
func (p *Policy) Decide(m *Message) session.Ruling {
	action, rule := p.Judge(&m.Passing)
	switch {
	case rule == nil, action == Allow:
		return session.Ruling{}
	case action == Deny:
		return session.Ruling{Verb: session.Refuse, By: by(rule.ID), Rule: rule.ID, Reason: rule.Reason}
	case (action == Ask || action == Hold) && m.Again:
		return session.Ruling{}
	case action == Ask || action == Hold:
		return session.Ruling{Verb: session.Hold, By: by(rule.ID), Rule: rule.ID, Reason: rule.Reason, Wait: p.waits(rule)}
	}
	return session.Ruling{By: by(rule.ID)}
}

// waits is how a rule holds a message.
func (p *Policy) waits(r *Rule) session.Wait {
	return session.Wait{
		Timeout: r.Timeout, Ask: r.Action == Ask, Deny: r.TimedOut == Deny,
		AtExit: p.OnExit == Deny || p.OnExit == Log && r.Action == Ask,
	}
}

func by(id string) string { return "policy: " + id }

// OnError implements Decider.
func (p *Policy) OnError(why string) session.Ruling {
	d := session.Ruling{By: by(errorID), Rule: errorID, Reason: why}
	if p.Closed {
		d.Verb = session.Refuse
	}
	return d
}
