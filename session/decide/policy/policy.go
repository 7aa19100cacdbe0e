package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"wiretea/session/decide"
	"wiretea/session/filter"
	"wiretea/session/mcp"
)

// An Action is what a rule says.
type Action uint8

const (
	Allow   Action = iota // Allow forwards the message.
	Deny                  // Deny does not forward it, and answers a request.
	Log                   // Log forwards it, and the record names the rule.
	Ask                   // Ask holds it until a person allows or denies it.
	Hold                  // Hold holds it until a person says what becomes of it.
	Respond               // Respond answers a request in its receiver's place, or replaces a response.
)

var actions = []string{"allow", "deny", "log", "ask", "hold", "respond"}

// String returns the action's word.
func (a Action) String() string { return actions[a] }

// A Rule is one rule.
type Rule struct {
	ID     string // ID names the rule; rule-N where the file gives none.
	Filter string
	Action Action
	Where  []Condition // Where are what the arguments of a request must meet too.
	Reason string      // Reason is told to the sender of a denied message, and to who is asked; empty for none.

	// Timeout is for how long Ask and Hold wait for a person; 0 = for 80 % of the time that
	// the sender of a request waits for its response. Then TimedOut applies: Allow or Deny.
	Timeout  time.Duration
	TimedOut Action

	Result string // Result is, with Respond, the template of the result; see decide.Fill.
	From   string // From is, with Respond and in place of Result, the recording that has the responses, as the file names it.

	filter    *filter.Filter
	answers   Answers
	named     bool  // named: its filter looks at method, target, kind and stream alone.
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

	opened map[string]Answers // opened are the recordings of its rules, by From.
	texts  filter.Texts       // texts are those that the filters of rules search bodies for.
	fields map[string]int     // fields are the numbers of the arguments that rules look at, from 1.

	budget int // budget is how many bytes of text are searched for one message at most.

	mu    sync.RWMutex
	known map[name]verdict // known are the verdicts of which the names of a message decide.
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

// file is the text of a policy.
type file struct {
	Default string `toml:"default"`
	OnError string `toml:"on_error"`
	OnExit  string `toml:"on_exit"`
	Rule    []struct {
		ID        string           `toml:"id"`
		Filter    string           `toml:"filter"`
		Action    string           `toml:"action"`
		Reason    string           `toml:"reason"`
		Where     []map[string]any `toml:"where"`
		Timeout   string           `toml:"timeout"`
		OnTimeout string           `toml:"on_timeout"`
		Result    string           `toml:"result"`
		From      string           `toml:"from"`
	} `toml:"rule"`
}

// longestTimeout is how long a rule may wait for a person at most.
const longestTimeout = 24 * time.Hour

// Parse compiles a policy, with the recordings that it names. The error says in one line where
// the first fault is.
func Parse(text []byte, recordings Recordings) (*Policy, error) {
	p, err := parse(text, recordings)
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// parse is Parse; with an error, the Policy has what is to be closed.
func parse(text []byte, recordings Recordings) (*Policy, error) {
	p := &Policy{budget: searchBudget, known: map[name]verdict{}, opened: map[string]Answers{}, fields: map[string]int{}}
	var f file
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return p, decide.FileError(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return p, fmt.Errorf("%s is not a key of a policy: it has default, on_error, on_exit, and [[rule]] with id, filter, where, action, reason, timeout, on_timeout, result and from", unknown[0])
	}
	if p.Default, err = word("default", f.Default, "allow", "deny"); err != nil {
		return p, err
	}
	closed, err := word("on_error", f.OnError, "open", "closed")
	if err != nil {
		return p, err
	}
	p.Closed = closed == Deny
	p.OnExit = Log
	if f.OnExit != "" {
		if p.OnExit, err = word("on_exit", f.OnExit, "allow", "deny"); err != nil {
			return p, err
		}
	}
	if len(f.Rule) > maxRules {
		return p, fmt.Errorf("%d rules: a policy has at most %d", len(f.Rule), maxRules)
	}
	ids := map[string]bool{defaultID: true, errorID: true}
	for i, text := range f.Rule {
		r := Rule{ID: text.ID, Filter: text.Filter, Reason: text.Reason}
		if r.ID == "" {
			r.ID = fmt.Sprintf("rule-%d", i+1)
		}
		err := r.compile(text.Action, text.Where)
		if err == nil {
			err = r.wait(text.Timeout, text.OnTimeout)
		}
		if err == nil {
			err = p.respond(&r, text.Result, text.From, recordings)
		}
		if err != nil {
			return p, fmt.Errorf("rule %q: %w", r.ID, err)
		}
		if ids[r.ID] {
			return p, fmt.Errorf("rule %q: another rule has this id", r.ID)
		}
		ids[r.ID] = true
		r.needs = p.needs(r.filter.Needs())
		for i := range r.Where {
			r.Where[i].field = p.field(r.Where[i].Field)
		}
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

// field returns the number of an argument.
func (p *Policy) field(name string) int {
	n, known := p.fields[name]
	if !known {
		n = len(p.fields) + 1
		p.fields[name] = n
	}
	return n
}

// word reads a key that has one of two values, the first of which it means when absent.
func word(key, text, first, second string) (Action, error) {
	switch text {
	case "", first:
		return Allow, nil
	case second:
		return Deny, nil
	}
	return 0, fmt.Errorf("%s = %q: it is %s or %s", key, text, first, second)
}

func (r *Rule) compile(action string, where []map[string]any) error {
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
	if r.Where, err = conditions(where); err != nil {
		return err
	}
	r.searches = r.filter.Searches() || len(r.Where) > 0
	r.named, r.responses = r.filter.ByName(), r.filter.Responses()
	r.byName = r.named && len(r.Where) == 0
	if r.responses && len(r.Where) > 0 {
		return errors.New("where is for the arguments of requests, and its filter names responses")
	}
	return nil
}

// judge is what the rule says of a message that its names leave open: Body where its text is
// not known and decides.
func (r *Rule) judge(m *filter.Passing, l *looked) filter.Verdict {
	v := filter.Yes
	if !r.named {
		v = r.filter.Passing(m)
	}
	switch {
	case v != filter.Yes || len(r.Where) == 0:
		return v
	case m.Body == nil:
		return filter.Body
	case l.met(r.Where, m.Body):
		return filter.Yes
	}
	return filter.No
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
	if r.TimedOut, err = word("on_timeout", then, "allow", "deny"); then == "" && r.Action == Ask {
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

// exempt are the methods to which the default does not apply.
var exempt = []string{
	mcp.Initialize, mcp.InitializedNotification, mcp.ServerDiscover, mcp.Ping, mcp.CancelledNotification, mcp.ProgressNotification,
}

// Decide implements decide.Decider.
func (p *Policy) Decide(m *decide.Message) decide.Decision {
	action, rule := p.Judge(&m.Passing)
	switch {
	case rule == nil:
		return p.withoutDenied(m)
	case action == Deny:
		return decide.Decision{Verb: decide.Refuse, By: by(rule.ID), Rule: rule.ID, Reason: rule.Reason}
	case action == Respond:
		return p.answer(rule, m)
	case (action == Ask || action == Hold) && m.Again:
		return p.withoutDenied(m)
	case action == Ask || action == Hold:
		return decide.Decision{Verb: decide.Hold, By: by(rule.ID), Rule: rule.ID, Reason: rule.Reason, Wait: p.waits(rule)}
	}
	if d := p.withoutDenied(m); d.Verb != decide.Pass {
		return d
	}
	return decide.Decision{By: by(rule.ID)}
}

// waits is how a rule holds a message.
func (p *Policy) waits(r *Rule) decide.Wait {
	return decide.Wait{
		Timeout: r.Timeout, Ask: r.Action == Ask, Deny: r.TimedOut == Deny,
		AtExit: p.OnExit == Deny || p.OnExit == Log && r.Action == Ask,
	}
}

func by(id string) string { return "policy: " + id }

// OnError implements decide.Decider.
func (p *Policy) OnError(why string) decide.Decision {
	d := decide.Decision{By: by(errorID), Rule: errorID, Reason: why}
	if p.Closed {
		d.Verb = decide.Refuse
	}
	return d
}
