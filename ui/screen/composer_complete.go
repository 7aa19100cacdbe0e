package screen

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/client"
	"wiretea/ui/composer/form"
)

// candidatesLimit is how long is waited for candidates: who types does not wait.
const candidatesLimit = 5 * time.Second

// candidates asks the server for what an argument can be. Whether the answer is
// still wanted when it comes, the form knows.
func (s *Screen) candidates(msg form.Complete) tea.Cmd {
	c := s.composer
	none := form.Completed{Form: msg.Form, Seq: msg.Seq}
	if c == nil || c.form != msg.Form {
		return nil
	}
	peer := c.tab.caller()
	if peer == nil {
		return func() tea.Msg { return none }
	}
	ref := client.Ref{Prompt: c.recipe.name}
	if c.recipe.uri != "" {
		ref = client.Ref{Resource: c.recipe.uri}
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), candidatesLimit)
		defer cancel()
		got, err := peer.Complete(ctx, ref, msg.Name, msg.Text, msg.Context)
		var answer *client.RPCError
		if err != nil && !errors.As(err, &answer) || got == nil {
			return none // why is in the traffic
		}
		return form.Completed{Form: msg.Form, Seq: msg.Seq, Values: got.Values, Total: got.Total, More: got.More}
	}
}
