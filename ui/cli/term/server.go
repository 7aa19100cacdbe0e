package term

import (
	"errors"
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/transport"
)

// CodeNoMethod is JSON-RPC's "Method not found".
const CodeNoMethod = -32601

// StartFailure says why there is no connection, with a hint and the exit code.
func StartFailure(err error) error {
	var notStarted *transport.StartError
	var late *client.TimeoutError
	var answer *client.RPCError
	switch {
	case errors.As(err, &notStarted):
		return &Failure{Code: ExitServer, Hint: notStarted.Hint, Err: fmt.Errorf("starting %q: %s", notStarted.Name, notStarted.Why)}
	case errors.As(err, &late):
		return &Failure{Code: ExitTimeout, Hint: "the server may be slow to start: --timeout initialize=5m", Err: late}
	case errors.As(err, &answer) && answer.Code == CodeNoMethod:
		return &Failure{Code: ExitServer, Hint: "the server may speak the other era: --era auto tries both", Err: fmt.Errorf("connecting: %w", err)}
	case errors.Is(err, client.ErrVersion):
		return &Failure{Code: ExitServer, Hint: "--protocol-version asks for another one", Err: fmt.Errorf("connecting: %w", err)}
	case errors.Is(err, client.ErrClosed):
		return &Failure{Code: ExitServer, Hint: "the server exited, or closed its stdout, before it answered: see its stderr and exit code", Err: fmt.Errorf("connecting: %w", err)}
	}
	return &Failure{Code: ExitServer, Err: fmt.Errorf("connecting: %w", err)}
}

// FindingsCode is the exit code for the findings of a session.
func FindingsCode(s *session.Snapshot) int {
	if t := s.Totals(); t.Findings[session.Error]+t.Findings[session.Warning] > 0 {
		return ExitFound
	}
	return ExitFine
}

// TaskLine describes the state of a task that a request has become.
func TaskLine(title string, t client.Task) string {
	return strings.TrimRight(title+", task "+t.ID+" "+t.Status+" "+t.Message, " ")
}
