package attach

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session"
)

type openPlace = session.Intercept

// waiting is a session.Intercept whose messages the test has.
type waiting struct {
	openPlace
	mu      sync.Mutex
	held    []session.Held
	news    chan struct{}
	choices []string
}

func (w *waiting) State() *session.InterceptState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &session.InterceptState{Held: append([]session.Held(nil), w.held...), Last: "tools/call add, denied, nobody has answered"}
}

func (w *waiting) Changed() <-chan struct{} { return w.news }

func (w *waiting) Text(_ context.Context, id uint64) ([]byte, error) {
	return []byte("{\"text\":\"\x1b[31m\"}"), nil
}

func (w *waiting) Decide(_ context.Context, ids []uint64, c session.Choice) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at := range w.held {
		if w.held[at].ID == ids[0] {
			w.held = append(w.held[:at:at], w.held[at+1:]...)
			w.choices = append(w.choices, strings.TrimSpace(string(c.Verb)+" "+c.Reason))
			return nil
		}
	}
	return session.ErrNotHeld
}

func held(id uint64, target, rule string) session.Held {
	return session.Held{ID: id, Kind: session.RowRequest, Method: "tools/call", Target: target, Size: 100, Since: time.Now(), By: "policy: " + rule, Rule: rule, Reason: "why\x1b", Ask: true}
}

// TestApprover holds what a person is asked, what their answers do, and that nothing that a
// peer says reaches the terminal as it is.
func TestApprover(t *testing.T) {
	w := &waiting{news: make(chan struct{}), held: []session.Held{held(1, "one", "r"), held(2, "two", "r"), held(3, "three", "r"), held(4, "mine", "")}}
	w.held[3].By = "hold: t:mine" // It is a screen's.
	in, typed := io.Pipe()
	var errw strings.Builder
	a := &approver{place: w, in: in, out: io.Discard, errw: &errw}
	go func() {
		w.news <- struct{}{} // Who types has seen the question.
		for _, line := range []string{"what?", "l", "n", " too much ", "YES"} {
			_, _ = io.WriteString(typed, line+"\n")
		}
		typed.Close()
	}()
	if err := a.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.choices, "; "); got != "deny too much; release" {
		t.Errorf("decided: %s", got)
	}
	if len(w.held) != 2 || w.held[0].Target != "one" {
		t.Errorf("left: %+v", w.held)
	}
	text := errw.String()
	for _, word := range []string{"#1  client  tools/call one", "#2  client  tools/call two", "why (may be empty)?", "[y]es, [n]o, [l]ater"} {
		if !strings.Contains(text, word) {
			t.Errorf("it does not say %q:\n%s", word, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Contains(text, "mine") {
		t.Errorf("it says\n%s", text)
	}
}

// TestApproverPrints holds what is printed where nobody can be asked, and that the end of the
// session ends it.
func TestApproverPrints(t *testing.T) {
	for json, want := range map[bool]string{
		false: "#1  client  tools/call one  100 B  policy: r: why␛\n",
		true:  `{"id":1,"from":"client","kind":"request","method":"tools/call","target":"one"`,
	} {
		w := &waiting{news: make(chan struct{}), held: []session.Held{held(1, "one", "r")}}
		var out, errw strings.Builder
		a := &approver{place: w, out: &out, errw: &errw, json: json}
		go func() {
			w.news <- struct{}{}
			w.news <- struct{}{} // It is taken when the first one was looked at.
			w.mu.Lock()
			w.held = nil
			w.mu.Unlock()
			w.news <- struct{}{}
			close(w.news)
		}()
		if err := a.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.HasPrefix(got, want) || json && !strings.Contains(got, `{"id":1,"decided":true}`) {
			t.Errorf("%s, want %s", got, want)
		}
		if !strings.Contains(errw.String(), "the session has ended") {
			t.Errorf("%s", errw.String())
		}
	}
}

// TestApproveFromNothing holds that a recording without anything to answer with is named.
func TestApproveFromNothing(t *testing.T) {
	for name, text := range map[string]string{
		"not a session file":   "",
		"nothing was recorded": `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"1","t0":"2026-11-25T04:42:38Z","mode":"run","tr":"stdio"}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "yesterday.mcpcap.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := approveOptions{respond: "1", from: path}
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		_, err := o.recorded(cmd, &waiting{}, 1)
		if err == nil || strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s: … %s", err, path, name)
		}
	}
}
