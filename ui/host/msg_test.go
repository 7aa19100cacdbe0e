package host_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// A recording is a source that is over.
type recording struct{ ctx *pane.Context }

func (r recording) Title() string               { return "a recording" }
func (r recording) Snapshot() *session.Snapshot { return r.ctx.Snap }
func (r recording) Log() recorder.Log           { return r.ctx.Log }
func (r recording) Now() int64                  { return r.ctx.Now }
func (r recording) Live() bool                  { return false }
func (r recording) Wake() <-chan struct{}       { return nil }
func (r recording) Path() string                { return "" }
func (r recording) Reason() error               { return nil }

// newTab returns a tab without a screen, which nothing here asks for.
func newTab(t *testing.T) *host.Tab {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.End()
	c := s.Context()
	return host.New(nil, recording{c}, c.Theme)
}

// results runs a command and all of a batch, and returns what came.
func results(cmd tea.Cmd) (all []tea.Msg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, one := range msg {
			all = append(all, results(one)...)
		}
	default:
		all = append(all, msg)
	}
	return all
}

// A collector keeps what it is given.
type collector struct{ got []tea.Msg }

func (c *collector) Update(msg tea.Msg) tea.Cmd { c.got = append(c.got, msg); return nil }

// TestAddressed holds that the results of a pane's commands carry the tab and reach that
// pane, and that an address is never replaced.
func TestAddressed(t *testing.T) {
	tab := newTab(t)
	all := results(tab.Tell(pane.MovedMsg{}))
	if len(all) == 0 {
		t.Fatal("no pane has read anything")
	}
	for _, msg := range all {
		addressed, ok := msg.(host.AddressedMsg)
		if !ok || addressed.Tab != tab || addressed.To == nil {
			t.Fatalf("%T has no addressee", msg)
		}
		for _, next := range results(addressed.To.Update(addressed.Msg)) {
			if more, ok := next.(host.AddressedMsg); !ok || more.To != addressed.To {
				t.Errorf("%T, which came of %T, has another addressee", next, addressed.Msg)
			}
		}
	}
	other := &collector{}
	for _, msg := range results(tab.Addressed(other, tab.AddressedTo(keys.Detail, pane.Tell(pane.SayMsg{})))) {
		if msg.(host.AddressedMsg).To == host.Receiver(other) {
			t.Error("the address of a pane was replaced")
		}
	}
}
