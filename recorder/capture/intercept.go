package capture

import (
	"context"
	"fmt"

	"wiretea/session"
)

// noPlace says why a session has no place in which messages could be held.
const noPlace = "messages of this session cannot be held: it is not live, runs with --no-control, is one of wiretea run without a policy, or could not create its socket"

// Intercept opens a place in the path of the session, by which people know it. The error wraps
// session.ErrRefused without Config.Intercepts.
func (r *Run) Intercept(_ context.Context, by string) (session.Intercept, error) {
	if r.socket.interceptor == nil {
		return nil, fmt.Errorf("%w: messages of this session cannot be held", session.ErrRefused)
	}
	return r.socket.interceptor.Open(by)
}

// Intercept opens a place in the path of the session, by which people know it. The error wraps
// session.ErrRefused where it has none.
func (a *Attach) Intercept(ctx context.Context, by string) (session.Intercept, error) {
	return Intercept(ctx, a.Header(), by)
}
