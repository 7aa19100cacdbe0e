package check

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// policyFlags are a policy as it is typed.
type policyFlags struct {
	failOn     string
	severities []string // severities are RULE=LEVEL.
	ignores    []string
	latencies  []string // latencies are METHOD=DURATION.
	context    int64
	baseline   string
	lock       string
	updateLock bool
}

func (w *policyFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.failOn, "fail-on", "warning", "exit with 1 on a finding of this `LEVEL` or worse: error, warning or info")
	f.StringArrayVar(&w.severities, "severity", nil, "count the findings of a rule as `RULE=LEVEL`; repeatable")
	f.StringArrayVar(&w.ignores, "ignore", nil, "ignore the findings of a `RULE`; repeatable")
	f.StringArrayVar(&w.latencies, "max-latency", nil, "how long a request may take, `METHOD=DURATION`, as in tools/call=500ms or *=2s; repeatable")
	f.Int64Var(&w.context, "max-context", 0, "how many `TOKENS` the tools and the instructions may take of a model's context, by estimate; 0 = any number")
	f.StringVar(&w.baseline, "baseline", "", "report only what is not in this `FILE`, written by --format json")
	f.StringVar(&w.lock, "tools-lock", "", "compare the tools with their definitions in this `FILE`, which is created if it does not exist")
	f.BoolVar(&w.updateLock, "update-tools-lock", false, "approve the tools as they are now: write the file of --tools-lock")
	term.Complete(cmd, "fail-on", "error", "warning", "info")
	_ = cmd.RegisterFlagCompletionFunc("ignore", completeRules)
	_ = cmd.RegisterFlagCompletionFunc("severity", completeSeverities)
	_ = cmd.RegisterFlagCompletionFunc("max-latency", cobra.FixedCompletions([]string{"tools/call=", "tools/list=", "resources/read=", "prompts/get=", "*="}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return verdict.RuleIDs(), cobra.ShellCompDirectiveNoFileComp
}

func completeSeverities(_ *cobra.Command, _ []string, typed string) (words []string, _ cobra.ShellCompDirective) {
	rule, _, named := strings.Cut(typed, "=")
	if named {
		return []string{rule + "=error", rule + "=warning", rule + "=info"}, cobra.ShellCompDirectiveNoFileComp
	}
	for _, id := range verdict.RuleIDs() {
		words = append(words, id+"=")
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// policy returns the policy that the flags describe.
func (w *policyFlags) policy() (*verdict.Policy, error) {
	p := &verdict.Policy{Severity: map[string]session.Severity{}, Ignore: map[string]bool{}}
	var ok bool
	if p.FailOn, ok = session.ParseSeverity(w.failOn); !ok {
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
		p.Severity[rule] = sev
	}
	for _, rule := range w.ignores {
		if err := knownRule("--ignore", rule); err != nil {
			return nil, err
		}
		p.Ignore[rule] = true
	}
	for _, word := range w.latencies {
		method, span, _ := strings.Cut(word, "=")
		limit, err := time.ParseDuration(span)
		if _, bad := path.Match(method, ""); err != nil || limit <= 0 || method == "" || bad != nil {
			return nil, term.Usage("as in --max-latency tools/call=500ms", "--max-latency %q is not METHOD=DURATION", word)
		}
		p.Latency = append(p.Latency, verdict.LatencyLimit{Method: method, Limit: limit})
	}
	p.Context = w.context
	if w.updateLock && w.lock == "" {
		return nil, term.Usage("--tools-lock FILE names it", "--update-tools-lock: no file to write")
	}
	if w.baseline != "" {
		var err error
		if p.Baseline, err = verdict.ReadBaseline(w.baseline); err != nil {
			return nil, term.Usage("wiretea check --format json … > "+text.ShellFile(w.baseline)+" writes one", "--baseline: %w", err)
		}
	}
	return p, nil
}

func knownRule(flag, id string) error {
	if verdict.RuleOf(id) == nil {
		return term.Usage(text.Nearest(id, verdict.RuleIDs(), "wiretea rules lists them"), "%s: unknown rule %q", flag, id)
	}
	return nil
}

// lockTools compares the tools of a session with the file of --tools-lock, which is
// written where it does not exist, or on demand. errw is told what was written.
func (w *policyFlags) lockTools(s *session.Snapshot, log recorder.Log, skip func(conn int) bool, errw io.Writer) ([]session.Finding, error) {
	if w.lock == "" {
		return nil, nil
	}
	lock := verdict.Lock{File: w.lock, Update: w.updateLock}
	found, outcome, err := lock.Compare(s, log, skip)
	switch {
	case errors.Is(err, verdict.ErrLockFile):
		return nil, term.Usage("remove it, or rewrite it with --update-tools-lock", "--tools-lock: %w", err)
	case errors.Is(err, recorder.ErrNoFolder):
		return nil, term.Usage(term.FolderHint, "--tools-lock: %w", err)
	case err != nil:
		return nil, term.Usage("--tools-lock FILE chooses another file", "--tools-lock: %w", err)
	case outcome == verdict.LockWritten:
		fmt.Fprintf(errw, "tools approved: %s\n", term.Visible(w.lock))
	case outcome == verdict.LockWithoutTools:
		fmt.Fprintf(errw, "wiretea: the server listed no tools: %s was not written\n", term.Visible(w.lock))
	}
	return found, nil
}
