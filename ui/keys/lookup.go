package keys

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// Lookup returns the action of a key, or of a chord written "y p", in a scope. A
// pane's binding goes before one that holds everywhere.
func (m Map) Lookup(key string, scope Scope) (Action, bool) {
	global := Action("")
	for b := range m.All() {
		if !slices.Contains(b.Keys, key) {
			continue
		}
		if b.holds(scope) {
			return b.Action, true
		}
		if slices.Contains(b.Scopes, Global) {
			global = b.Action
		}
	}
	return global, global != ""
}

// Unplayed is what an action is where nothing can be played.
func Unplayed(a Action) Action {
	if a == Play {
		return PageDown
	}
	return a
}

// Moving returns the action of a key in a text or a list over the panes, where the
// keys that move in panes move too.
func (m Map) Moving(key string) Action {
	action, _ := m.Lookup(key, Stats)
	return Unplayed(action)
}

// Begins reports whether a key is the first of a chord in a scope.
func (m Map) Begins(key string, scope Scope) bool {
	for b := range m.All() {
		if !b.In(scope) {
			continue
		}
		for _, k := range b.Keys {
			if first, _, chord := strings.Cut(k, " "); chord && first == key {
				return true
			}
		}
	}
	return false
}

// Find returns the binding of an action, in that scope where it has several; nil
// where it has none.
func (m Map) Find(a Action, scope Scope) *Binding {
	var found *Binding
	for b := range m.All() {
		if b.Action != a {
			continue
		}
		if found == nil || b.holds(scope) {
			found = b
		}
	}
	return found
}

// WordOf returns the first key of an action in a scope as people write it; the
// action's own name where it has no key.
func (m Map) WordOf(a Action, scope Scope) string {
	if b := m.Find(a, scope); b != nil && len(b.Keys) > 0 {
		return Word(b.Keys[0])
	}
	return string(a)
}

// Named returns the binding with that name after ":"; nil where there is none.
func (m Map) Named(name string) *Binding {
	for b := range m.All() {
		if b.Name == name && name != "" {
			return b
		}
	}
	return nil
}

// holds reports whether the binding is one of a scope.
func (b *Binding) holds(scope Scope) bool {
	if slices.Contains(b.Scopes, scope) {
		return true
	}
	pane := scope != Global && scope != Home && scope != Composer
	return pane && slices.Contains(b.Scopes, Panes)
}

// In reports whether the binding holds in a scope, or everywhere.
func (b *Binding) In(scope Scope) bool {
	return b.holds(scope) || slices.Contains(b.Scopes, Global)
}

var arrowWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
}}

var modifierWords = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer {
	return strings.NewReplacer("ctrl+", "ctrl-", "shift+", "shift-", "alt+", "alt-", " ", "")
}}

// Words writes a binding's keys for people: "j ↓".
func (b *Binding) Words() string {
	words := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		words[i] = Word(k)
	}
	return strings.Join(words, " ")
}

// Word writes one key for people: "ctrl-d", "↓", "yy".
func Word(key string) string {
	if word, ok := arrowWords.Get()[key]; ok {
		return word
	}
	return modifierWords.Get().Replace(key)
}

// Also are more words by which the help finds an action or a command: those that people
// know from other programs.
func Also(name string) string { return also.Get()[name] }

var also = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"top": "first begin home", "bottom": "last end newest tail", "half-up": "scroll", "half-down": "scroll", "page-up": "scroll", "page-down": "scroll",
		"enter": "open select show", "escape": "back close cancel", "back": "quit exit leave close",
		"next-pane": "focus window switch", "previous-pane": "focus window switch",
		"filter": "only hide narrow grep query errors where", "filter-toggle": "clear reset all", "search": "find grep text",
		"scene-next": "demo tutorial continue", "scene-previous": "demo tutorial back again",
		"finding-next": "error fault problem violation warning jump", "finding-previous": "error fault problem violation warning",
		"pair": "response answer request jump match", "operation-next": "related stream", "operation-previous": "related stream",
		"mark": "bookmark flag select", "mark-next": "bookmark jump", "mark-previous": "bookmark jump", "marks-only": "bookmark",
		"comment": "note annotate", "intercept": "breakpoint hold stop break pause tamper", "intercept-toggle": "breakpoint hold", "held": "intercepted breakpoint approve queue",
		"release": "continue forward resume allow approve accept", "release-all": "continue forward resume", "edit-held": "change modify tamper", "drop": "kill deny block reject refuse",
		"respond": "mock answer reply fake", "release-follow": "response too", "revert": "undo", "edit-status": "http header code", "fault": "chaos break inject delay error policy rules", "original": "altered replacement replaced policy fault denied", "difference": "diff compare changes", "side-by-side": "columns split", "ignore": "exclude timestamp",
		"play": "replay start time", "step-back": "undo rewind time travel", "step-on": "forward time travel", "slower": "speed", "faster": "speed",
		"follow": "tail scroll live", "pause": "freeze stop hold", "time-format": "clock timestamp absolute relative delta wall mark reference",
		"findings": "errors problems violations warnings diagnosis", "stderr": "log output console", "process": "pid exit environment crash memory",
		"statistics": "latency slow percentile p99 histogram throughput performance methods errors count summary",
		"tools":      "list resources prompts capabilities catalog catalogue schema server", "sort": "order column", "sort-reverse": "order column",
		"subscribe": "watch changes notify", "refresh": "reload update", "explain": "why rule fix docs help", "silence": "mute ignore suppress hide", "silence-nothing": "unmute reset",
		"fold": "collapse close", "unfold": "expand open", "fold-all": "collapse", "unfold-all": "expand", "depth-1": "level fold",
		"next-tab": "raw timing request response findings content bytes hex", "previous-tab": "raw timing request response",
		"text": "string multiline code markdown", "wrap": "long lines break", "editor": "vim nano external open",
		"copy-value": "yank clipboard", "copy-path": "yank clipboard jsonpath jq", "copy-raw": "yank clipboard bytes", "copy-command": "yank clipboard shell curl cli",
		"copy-curl": "yank clipboard http shell",
		"export":    "save write html har report markdown csv share download", "answer": "elicitation sampling reply question input",
		"loglevel": "debug verbose logging", "log-level": "debug verbose logging", "compose": "new request call tool send form", "edit-request": "modify change replay", "duplicate": "clone again",
		"resend": "again retry replay repeat", "cancel": "abort stop kill interrupt", "restart": "reset reload reconnect rerun kill",
		"next-session": "tab switch", "previous-session": "tab switch", "command": "prompt colon", "help": "keys manual shortcuts palette",
		"suspend": "background shell", "quit": "exit leave close", "zoom": "fullscreen maximize maximise", "layout": "split vertical horizontal reset default panes hidden",
		"grow": "resize larger wider", "shrink": "resize smaller", "mouse": "select copy click", "redraw": "refresh repaint",
		"wrap-server": "tee install config client", "unwrap-server": "restore remove uninstall", "delete": "remove rm", "run-command": "new start launch server command", "settings": "options preferences config configuration theme colours colors notice",
		"history": "recall recent previous", "repeat": "load benchmark latency again loop histogram", "template": "save keep snippet", "copy-line": "yank clipboard shell cli",
		"send": "request call raw json message", "goto": "jump frame number line row", "at": "time travel moment past when", "set": "theme setting option config colour color light dark time",
		"record": "save write copy recording", "watch": "reload rebuild files auto", "build": "compile make rebuild", "output": "build compiler errors", "silence-rule": "mute",
		"unsilence": "unmute reset", "listen": "subscribe changes notifications", "unsubscribe": "stop", "end": "kill stop terminate server",
	}
}}

// A Map says which keys do what: the Table with the keys that the user has chosen. The
// zero Map is the Table. A Map is never changed.
type Map struct{ bindings []Binding }

// All are the bindings, in the order of the Table. They must not be changed.
func (m Map) All() iter.Seq[*Binding] {
	return func(yield func(*Binding) bool) {
		bindings := m.bindings
		if bindings == nil {
			bindings = Table
		}
		for i := range bindings {
			if !yield(&bindings[i]) {
				return
			}
		}
	}
}

// Rebind returns the Table with other keys for actions, by the actions' names: "pair" =
// ["o", "enter"]. Actions that do not exist, and keys that another action has in the same
// place, are left out and said in the error.
func Rebind(changes map[string][]string) (Map, error) {
	m := Map{slices.Clone(Table)}
	var faults []error
	for name, keys := range changes {
		i := slices.IndexFunc(m.bindings, func(b Binding) bool { return string(b.Action) == name })
		switch {
		case i < 0:
			faults = append(faults, fmt.Errorf("unknown action %q", name))
		case len(keys) == 0:
			faults = append(faults, fmt.Errorf("%s has no key", name))
		default:
			old := m.bindings[i].Keys
			m.bindings[i].Keys = slices.Clone(keys)
			if err := m.clash(); err != nil {
				m.bindings[i].Keys = old
				faults = append(faults, err)
			}
		}
	}
	return m, errors.Join(faults...)
}

// clash returns an error where one key does two things in one place, or is both
// a key and the beginning of a chord there.
func (m Map) clash() error {
	scopes := map[Scope]bool{}
	for b := range m.All() {
		for _, s := range b.Scopes {
			scopes[s] = true
		}
	}
	for scope := range scopes {
		seen := map[string]Action{}
		for b := range m.All() {
			if !b.holds(scope) {
				continue
			}
			for _, k := range b.Keys {
				if other, taken := seen[k]; taken && other != b.Action {
					return fmt.Errorf("the key %s does both %s and %s in %s", k, other, b.Action, scope)
				}
				if m.Begins(k, scope) {
					return fmt.Errorf("the key %s does %s and begins another in %s", k, b.Action, scope)
				}
				seen[k] = b.Action
			}
		}
	}
	return nil
}
