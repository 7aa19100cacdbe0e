package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/format"
)

// SendTask sends a request that is to be run as a task, and follows the task to
// its end, which shows in the traffic like all that leads to it. A task that is
// not at its end when the source is closed is cancelled.
func (s *attachedSource) SendTask(ctx context.Context, m recorder.Request) error {
	return s.act(ctx, func(ctx context.Context) error {
		s.tasks.Add(1)
		defer s.tasks.Add(-1)
		ctx, lost := context.WithCancelCause(ctx)
		defer lost(nil)
		go func() {
			select {
			case <-s.done: // nobody is left to be asked
				lost(session.ErrGone)
			case <-ctx.Done():
			}
		}()
		_, err := s.guest.Do(ctx, m.Method, m.Params, &client.TaskOptions{Status: s.taskTold})
		if err != nil && !strings.HasPrefix(err.Error(), m.Method) {
			err = fmt.Errorf("%s: %w", m.Method, err)
		}
		return err
	})
}

// taskTold says what the traffic does not: that what a task asks in the legacy era
// is not ours to answer.
func (s *attachedSource) taskTold(t client.Task) {
	if t.Status != "input_required" {
		return
	}
	if era, _ := s.guest.Speaks(); era == mcp.Modern {
		return
	}
	who := "the client"
	if s.who.ClientName != "" {
		who = s.who.ClientName
	}
	fmt.Fprintf(s.says, "the task %s wants input, and asks %s for it: only the client can answer; ctrl-x cancels the task\n", format.Visible([]byte(t.ID), 60), who)
}

// CancelTask has the server cancel a task, whoever began it. In the modern era that
// is a wish: where nobody here follows the task, its state is asked for once.
func (s *attachedSource) CancelTask(ctx context.Context, id string) error {
	return s.act(ctx, func(ctx context.Context) error {
		if err := s.guest.CancelTask(ctx, id); err != nil {
			return err
		}
		if era, _ := s.guest.Speaks(); era != mcp.Modern || s.guest.Following(id) {
			return nil
		}
		wait := time.NewTimer(client.DefaultPoll)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		_, err := s.guest.GetTask(ctx, id)
		return err
	})
}
