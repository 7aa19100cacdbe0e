package requests

import (
	"encoding/json"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/host"
	"wiretea/ui/source"
)

// A hearing is a screen that keeps what it is told to say.
type hearing struct {
	host.Screen
	said string
}

func (h *hearing) Say(_ session.Severity, text string) tea.Cmd { h.said = text; return nil }

// TestAcceptWaitsForTheCheck holds that an answer is sent only after the form has checked it, or
// once somebody insists.
func TestAcceptWaitsForTheCheck(t *testing.T) {
	send := func(b *box) {
		b.Update(b.Take(tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl})().(host.AddressedMsg).Msg)
	}
	opened := func(schema string) (*box, *hearing, tea.Msg) {
		h := &hearing{}
		params := `{"mode":"form","message":"?","requestedSchema":` + schema + `}`
		one := &source.Question{Question: client.Question{Method: mcp.ElicitationCreate, Params: json.RawMessage(params), Era: mcp.Legacy}}
		b := newBox(NewQuestions(&host.Tab{Screen: h}), one, nil)
		check := b.begin()
		return b, h, check()
	}
	const fits = `{"type":"object","properties":{"cups":{"type":"integer","default":2}}}`
	const lacks = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`

	b, h, checked := opened(fits)
	send(b)
	if b.settling {
		t.Fatal("it was sent before the check")
	}
	if b.Update(checked.(host.AddressedMsg).Msg); !b.settling || h.said != "" {
		t.Errorf("after the check: settling %t, said %q", b.settling, h.said)
	}

	b, h, checked = opened(lacks)
	send(b)
	if b.Update(checked.(host.AddressedMsg).Msg); b.settling || !strings.HasPrefix(h.said, "not valid: ") {
		t.Errorf("what does not fit: settling %t, said %q", b.settling, h.said)
	}

	b, _, checked = opened(fits)
	send(b)
	b.Take(tea.KeyPressMsg{Code: tea.KeyEsc})
	if b.Take(tea.KeyPressMsg{Code: 'r', Text: "r"}); b.awaits {
		t.Error("it still waits to be sent after other keys")
	}
	if b.Update(checked.(host.AddressedMsg).Msg); b.settling {
		t.Error("it was sent after other keys")
	}

	b, h, _ = opened(fits)
	send(b)
	if send(b); b.settling || !strings.HasPrefix(h.said, "not checked yet") {
		t.Errorf("twice: settling %t, said %q", b.settling, h.said)
	}
	if send(b); !b.settling {
		t.Error("who insists cannot send it")
	}
}
