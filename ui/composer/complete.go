package composer

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/client"
	"wiretea/ui/composer/form"
	"wiretea/ui/pane"
)

// candidatesLimit is how long is waited for candidates: who types does not wait.
const candidatesLimit = 5 * time.Second

// candidates asks the server for what an argument can be. Whether the answer is
// still wanted when it comes, the form knows.
func (c *Composer) candidates(msg form.CompleteMsg) tea.Cmd {
	none := form.CompletedMsg{Form: msg.Form, Seq: msg.Seq}
	peer := c.requests.Client()
	if peer == nil {
		return pane.Tell(none)
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
		return form.CompletedMsg{Form: msg.Form, Seq: msg.Seq, Values: got.Values, Total: got.Total, More: got.More}
	}
}
