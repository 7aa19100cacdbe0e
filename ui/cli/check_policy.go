package cli

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session"
	"wiretea/ui/cli/term"
)

// A policy is what a project holds its server to: what counts, how much, and what
// is known already.
type policy struct {
	failOn   session.Severity
	severity map[string]session.Severity // severity is what rules count as instead of what they say, by id.
	ignore   map[string]bool
	latency  []latencyLimit
	baseline *baseline // baseline is what was there before; nil = nothing.
}

// A latencyLimit is how long a request may take. Method may have a * as file
// names have.
type latencyLimit struct {
	method string
	limit  time.Duration
}

// A policyWords is a policy as it is typed: flags, or the folder's wiretea.toml.
type policyWords struct {
	failOn     string
	severities []string // severities are RULE=LEVEL.
	ignores    []string
	latencies  []string // latencies are METHOD=DURATION.
	baseline   string
	lock       string
	updateLock bool
}

func (w *policyWords) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.failOn, "fail-on", "warning", "exit with 1 where there is a finding of this `LEVEL` or a worse one: error, warning or info")
	f.StringArrayVar(&w.severities, "severity", nil, "count the findings of a rule as `RULE=LEVEL`; repeatable")
	f.StringArrayVar(&w.ignores, "ignore", nil, "leave the findings of a `RULE` out; repeatable")
	f.StringArrayVar(&w.latencies, "max-latency", nil, "how long a request may take, `METHOD=DURATION`, as in tools/call=500ms or *=2s; repeatable")
	f.StringVar(&w.baseline, "baseline", "", "report only what is not in this `FILE`, which --format json has written")
	f.StringVar(&w.lock, "tools-lock", "", "hold the tools to their definitions in this `FILE`, which is written where it does not exist")
	f.BoolVar(&w.updateLock, "update-tools-lock", false, "approve the tools as they are now: write the file of --tools-lock")
	levels := cobra.FixedCompletions([]string{"error", "warning", "info"}, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("fail-on", levels)
	_ = cmd.RegisterFlagCompletionFunc("ignore", completeRules)
	_ = cmd.RegisterFlagCompletionFunc("severity", completeSeverities)
	_ = cmd.RegisterFlagCompletionFunc("max-latency", cobra.FixedCompletions([]string{"tools/call=", "tools/list=", "resources/read=", "prompts/get=", "*="}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return checkRuleIDs(), cobra.ShellCompDirectiveNoFileComp
}

func completeSeverities(_ *cobra.Command, _ []string, typed string) (words []string, _ cobra.ShellCompDirective) {
	rule, _, named := strings.Cut(typed, "=")
	if named {
		return []string{rule + "=error", rule + "=warning", rule + "=info"}, cobra.ShellCompDirectiveNoFileComp
	}
	for _, id := range checkRuleIDs() {
		words = append(words, id+"=")
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// policy reads the words.
func (w *policyWords) policy() (*policy, error) {
	p := &policy{severity: map[string]session.Severity{}, ignore: map[string]bool{}}
	var ok bool
	if p.failOn, ok = session.ParseSeverity(w.failOn); !ok {
		return nil, term.Usage("it is error, warning or info", "--fail-on: unknown level %q", w.failOn)
	}
	for _, word := range w.severities {
		rule, level, _ := strings.Cut(word, "=")
		sev, ok := session.ParseSeverity(level)
		if !ok {
			return nil, term.Usage("as in --severity slow-startup=error", "--severity %q is not RULE=LEVEL", word)
		}
		if err := knownRule("--severity", rule); err != nil {
			return nil, err
		}
		p.severity[rule] = sev
	}
	for _, rule := range w.ignores {
		if err := knownRule("--ignore", rule); err != nil {
			return nil, err
		}
		p.ignore[rule] = true
	}
	for _, word := range w.latencies {
		method, span, _ := strings.Cut(word, "=")
		limit, err := time.ParseDuration(span)
		if _, bad := path.Match(method, ""); err != nil || limit <= 0 || method == "" || bad != nil {
			return nil, term.Usage("as in --max-latency tools/call=500ms", "--max-latency %q is not METHOD=DURATION", word)
		}
		p.latency = append(p.latency, latencyLimit{method, limit})
	}
	if w.updateLock && w.lock == "" {
		return nil, term.Usage("--tools-lock FILE names it", "--update-tools-lock: no file to write")
	}
	if w.baseline != "" {
		var err error
		if p.baseline, err = readBaseline(w.baseline); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func knownRule(flag, id string) error {
	if ruleOf(id) == nil {
		return term.Usage(term.Nearest(id, checkRuleIDs(), "wiretea rules lists them"), "%s: unknown rule %q", flag, id)
	}
	return nil
}

// slow returns the findings of --max-latency. Connections for which skip holds
// are not judged.
func (p *policy) slow(s *session.Snapshot, skip func(conn int) bool) (found []session.Finding) {
	if len(p.latency) == 0 {
		return nil
	}
	places := map[string]int{} // by request: the place of its finding
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind != session.RowRequest || row.Stream != session.C2S || skip(int(row.Conn)) {
			continue
		}
		what := strings.TrimSpace(s.Name(row.Method) + " " + s.Name(row.Target))
		limit, limited := p.limitOf(s.Name(row.Method))
		took, answered := s.Latency(i)
		if !limited || !answered || took <= int64(limit) {
			continue
		}
		f := at(foundBy(maxLatency, fmt.Sprintf("%s took %s, more than %v", what, latencyWords(took), limit)), s, i)
		place, again := places[what]
		if !again {
			places[what] = len(found)
			found = append(found, f)
			continue
		}
		// The slowest one stands for all.
		f.Count = found[place].Count + 1
		if slowest, _ := s.Latency(found[place].Row); slowest >= took {
			found[place].Count++
			continue
		}
		found[place] = f
	}
	return found
}

// latencyWords is a span in milliseconds, or seconds where it is long.
func latencyWords(ns int64) string {
	d := time.Duration(ns)
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// limitOf returns the limit of a method: the one that names it before one with
// a *.
func (p *policy) limitOf(method string) (limit time.Duration, limited bool) {
	for _, l := range p.latency {
		if l.method == method {
			return l.limit, true
		}
		// * alone is for all of them, also those with a slash in their name.
		if match, _ := path.Match(l.method, method); !limited && (match || l.method == "*") {
			limit, limited = l.limit, true
		}
	}
	return limit, limited
}
