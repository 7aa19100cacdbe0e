package stats

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wiretea/session/filter"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

// toolCalls is a session with calls of three tools, one of which asks a person.
func toolCalls(t *testing.T) *pane.Context {
	s := panetest.New(t)
	id := 0
	call := func(at, took float64, tool, answer string) {
		id++
		s.Client(at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool))
		if tool == "asks" {
			s.Server(at+10, `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}`)
			s.Client(at+took-10, `{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
		}
		s.Server(at+took, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, answer))
	}
	for i := range 40 {
		call(float64(100*i), float64(1+i), "echo", `"result":{"content":[]}`)
	}
	call(4000, 5000, "asks", `"result":{"content":[]}`)
	call(9100, 700, "slow", `"error":{"code":-1,"message":"no"}`)
	return s.Context()
}

func shown(t *testing.T) (*Pane, *pane.Context) {
	t.Helper()
	c := toolCalls(t)
	p, _ := newPane(t, c.Snap)
	panetest.Tell(t, p, c, pane.ShownMsg{})
	return p, c
}

// TestPictures holds the page as it is drawn once the session was counted.
func TestPictures(t *testing.T) {
	for _, size := range []struct{ w, h int }{{78, 20}, {118, 36}, {198, 56}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			p, c := shown(t)
			panetest.Do(t, p, c, keys.Enter)
			golden(t, screen(t, p, c, size.w, size.h, false))
			if turns := p.Disabled(c, keys.NextTab) == ""; turns != (size.w == 78) {
				t.Errorf("there is another picture: %t", turns)
			}
		})
	}
	t.Run("over-time", func(t *testing.T) {
		p, c := shown(t)
		p.Do(c, keys.NextTab)
		golden(t, screen(t, p, c, 78, 20, false))
	})
	for name, th := range map[string]*style.Theme{"light": style.New("", false, false), "no-colour": style.New("", false, true)} {
		t.Run(name, func(t *testing.T) {
			p, c := shown(t)
			c.Theme = th
			golden(t, screen(t, p, c, 78, 20, true))
		})
	}
	p, c := shown(t)
	for w := 1; w <= 210; w += 7 {
		for h := 1; h <= 40; h++ {
			screen(t, p, c, w, h, false)
		}
	}
}

// TestEnterUnfolds holds that enter unfolds a method first, and filters by it then; and
// that of what stands out it goes to the request.
func TestEnterUnfolds(t *testing.T) {
	p, c := shown(t)
	enter := func() []tea.Msg { return panetest.Do(t, p, c, keys.Enter) }
	if got := enter(); len(got) != 0 || len(p.rows) < 5 || p.rows[1].target != "echo" {
		t.Fatalf("enter asks for %v", got)
	}
	filtered := func(text string) []tea.Msg {
		return []tea.Msg{pane.SetFilterMsg{Text: text}, pane.FocusMsg{Pane: keys.Traffic}}
	}
	if diff := cmp.Diff(filtered("m:tools/call"), enter()); diff != "" {
		t.Error(diff)
	}
	panetest.Do(t, p, c, keys.Down)
	if p.got.Focus.Target != "echo" || p.got.Subject.Count != 40 {
		t.Errorf("the pictures are about %v", p.got.Focus)
	}
	if diff := cmp.Diff(filtered("m:tools/call t:echo"), enter()); diff != "" {
		t.Error(diff)
	}
	p.Do(c, keys.Fold)
	if p.list.At != 0 || p.rows[1].target != "" {
		t.Errorf("folded: at %d of %v", p.list.At, p.rows)
	}
	seen := map[string]bool{}
	for range p.rows {
		r, _ := p.selected()
		if got := enter; r.extreme != nil && !seen[r.label] {
			if diff := cmp.Diff([]tea.Msg{pane.GotoMsg{Row: r.extreme.Row}}, got()); diff != "" {
				t.Error(diff)
			}
		} else if r.label == "failing" {
			if diff := cmp.Diff(filtered("m:tools/call t:slow is:error"), got()); diff != "" {
				t.Error(diff)
			}
		}
		seen[r.label] = true
		panetest.Do(t, p, c, keys.Down)
	}
	if !seen["slowest"] || !seen["largest"] || !seen["failing"] || p.got.Focus.Target != "slow" {
		t.Errorf("what stands out: %v, %v", seen, p.got.Focus)
	}
	for _, text := range []string{"m:tools/call t:slow is:error", "m:tools/call t:echo"} {
		f, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range uint32(c.Snap.Len()) {
			if f.Meta(c.Snap, i) == filter.Yes {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s finds nothing", text)
		}
	}
}

// TestNotCounted holds that a page that is not open counts nothing, and that one that is
// open counts once.
func TestNotCounted(t *testing.T) {
	c := toolCalls(t)
	p, _ := newPane(t, c.Snap)
	if cmd := p.Update(c, pane.MovedMsg{}); cmd != nil || p.got != nil {
		t.Error("counted although the page is not open")
	}
	panetest.Tell(t, p, c, pane.ShownMsg{})
	if cmd := p.Update(c, pane.ShownMsg{}); cmd != nil {
		t.Error("counted again")
	}
}
