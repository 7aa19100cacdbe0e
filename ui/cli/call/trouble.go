package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/checkup"
	"wiretea/session"
	"wiretea/session/check/diagnosis"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/transport"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// A trouble is why call has no result, in words: what happened, and with it the
// evidence of the session.
type trouble struct {
	code   int
	says   string   // says is the cause, one line.
	data   string   // data is what an error answer carries besides; empty = none.
	body   string   // body is the beginning of what an HTTP response had in the place of an answer; empty = none.
	hint   string   // hint is one line; empty = what the findings say.
	bare   bool     // bare: says is all there is to say, the session tells nothing more.
	lapsed bool     // lapsed: the time was up, with the server still there.
	method string   // method is the one that was not answered in time.
	told   []string // told are the rules of the findings that the reason covers.

	cause *session.Finding // cause is what is wrong with the answer; nil = the session tells.
}

// troubleOf words an error of talk.
func troubleOf(ctx context.Context, r *callRequest, s *session.Snapshot, why error) trouble {
	var (
		notStarted *transport.StartError
		late       *client.TimeoutError
		unusable   *client.UnusableError
		answer     *client.RPCError
		asks       *client.InputRequiredError
		wrong      *unmatched
		greeting   *noConnection
		refused    *client.HTTPError
	)
	connecting, told := errors.As(why, &greeting), "the server was told"
	if connecting {
		told = "the server had not answered the handshake"
	}
	switch {
	case errors.As(why, &wrong):
		return trouble{code: term.ExitUsage, says: why.Error(), hint: "--insist sends it all the same", bare: true}
	case errors.As(why, &notStarted):
		return trouble{code: term.ExitServer, says: fmt.Sprintf("starting %q: %s", notStarted.Name, notStarted.Why), hint: notStarted.Hint, bare: true}
	case ctx.Err() != nil:
		return trouble{code: term.ExitInterrupted, says: r.title() + ": cancelled by you; " + told, bare: true}
	case errors.As(why, &asks):
		return trouble{code: term.ExitFound, says: asks.Error(), hint: "--elicitation, --sampling and --root set the responses", bare: true}
	case errors.As(why, &refused):
		t := trouble{code: term.ExitServer, says: r.title() + ": " + strings.TrimPrefix(why.Error(), r.method+": "), body: refused.Text, hint: refused.Hint, bare: true}
		if connecting {
			t.says = "connecting: " + why.Error()
		}
		return t
	case errors.As(why, &answer) && !connecting:
		return errorAnswer(r, s, answer)
	case errors.As(why, &late):
		return trouble{code: term.ExitTimeout, says: "the server did not answer " + late.What() + " within " + late.After.String(), lapsed: true, method: late.Method}
	case errors.As(why, &unusable):
		t := trouble{code: term.ExitFound, says: "the server's answer to " + unusable.Method + " cannot be used", method: unusable.Method, cause: &unusable.Cause}
		if connecting {
			t.code = term.ExitServer
		}
		return t
	case errors.Is(why, client.ErrVersion):
		return trouble{code: term.ExitServer, says: "connecting: " + why.Error(), hint: "--protocol-version asks for another one"}
	case errors.As(why, &answer):
		return trouble{code: term.ExitServer, says: "the server refuses the handshake: " + why.Error(), hint: checkup.RefusedHint(answer)}
	case errors.Is(why, client.ErrClosed):
		return trouble{code: term.ExitServer, says: endedBefore(s, r, connecting)}
	case connecting:
		return trouble{code: term.ExitServer, says: "connecting: " + why.Error()}
	}
	return trouble{code: term.ExitFound, says: r.title() + ": " + strings.TrimPrefix(why.Error(), r.method+": ")}
}

// codeNoCapability is what a server says to a client that lacks a capability: [V5]
// basic/index §Error Codes.
const codeNoCapability = -32021

// errorAnswer words an error response to the request.
func errorAnswer(r *callRequest, s *session.Snapshot, answer *client.RPCError) trouble {
	t := trouble{code: term.ExitFound, says: r.title() + ": " + answer.Error(), data: string(answer.Data), bare: true}
	m, known := mcp.Lookup(r.method)
	version, refused := mcp.NoVersion, ""
	if conns := s.Conns(); len(conns) > 0 {
		version, refused = conns[len(conns)-1].Version, refusedQuestion(s, conns[len(conns)-1].ID)
	}
	switch {
	case refused != "":
		t.hint = "the server asked for " + refused + ", and got an error; --elicitation, --sampling and --root set the responses"
	case answer.Code == term.CodeNoMethod && !known && r.method != "":
		t.hint = noSuchMethod(r.method)
	case r.method == "tools/call" && (answer.Code == term.CodeNoMethod || answer.Code == codeNoCapability) && strings.Contains(strings.ToLower(answer.Message+string(answer.Data)), "task"):
		t.hint = "the tool may have to be run as a task: --task"
	case answer.Code == term.CodeNoMethod && known && !m.In(version):
		t.hint = notInVersion(m, version)
	case answer.Code == term.CodeNoMethod:
		t.hint = "the server does not offer it; wiretea call initialize -- CMD shows what it declares"
	case r.kind == callMethod && r.method == "tools/call" && r.params == nil:
		t.hint = `it wants parameters: tools/call '{"name":"echo","arguments":{}}', or tool echo message=hi`
	}
	return t
}

// noSuchMethod says what a method may have been meant for that the protocol does
// not have.
func noSuchMethod(method string) string {
	names := formWords()
	for _, m := range mcp.Methods() {
		names = append(names, m.Name)
	}
	otherwise := method + " is not a method of the protocol"
	if !strings.Contains(method, "/") {
		otherwise += "; a tool of that name is called with: wiretea call tool " + method
	}
	return format.Nearest(method, names, otherwise)
}

// notInVersion says which revisions have a method that the one in effect has not.
func notInVersion(m *mcp.Method, version mcp.Version) string {
	text := fmt.Sprintf("it is not in %s, the version of this session; the protocol ", version)
	if version < m.Since {
		return text + "has it since " + m.Since.String()
	}
	text += "had it until " + m.Until.String()
	if version.Era() == mcp.Modern {
		text += "; --era legacy speaks that, if the server does"
	}
	return text
}

// refusedQuestion is what the server last asked for and was refused, while it
// worked at a request that has been answered since; empty = nothing.
func refusedQuestion(s *session.Snapshot, conn int) string {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if int(row.Conn) != conn || row.Kind != session.RowRequest {
			continue
		}
		switch {
		case row.Stream == session.C2S && row.Pair != session.NoRow:
			return ""
		case row.Stream == session.S2C && row.Pair != session.NoRow && s.Row(row.Pair).Kind == session.RowError:
			return s.Name(row.Method)
		}
	}
	return ""
}

// endedBefore says how the server went away, and what it owed.
func endedBefore(s *session.Snapshot, r *callRequest, connecting bool) string {
	text := "the server closed the connection"
	owed := "it answered " + r.title()
	if connecting {
		owed = "it answered the handshake"
	}
	if conns := s.Conns(); len(conns) > 0 {
		c := &conns[len(conns)-1]
		switch {
		case analysis.EndedByItself(c) && c.ExitSig != "":
			text = "the server was killed by " + c.ExitSig
		case analysis.EndedByItself(c):
			text = fmt.Sprintf("the server exited with code %d", c.ExitCode)
		case c.StdoutEOF > 0:
			text = "the server closed its stdout"
		}
		if last := lastAsked(s, c.ID); last != "" {
			owed = "it answered " + last
		}
	}
	if r.open {
		return text + " while " + r.title() + " was open"
	}
	return text + " before " + owed
}

// lastAsked is the latest request of a connection that has no answer.
func lastAsked(s *session.Snapshot, conn int) string {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if row.Kind == session.RowRequest && row.Stream == session.C2S && int(row.Conn) == conn && row.Pair == session.NoRow {
			return analysis.RequestWords(s, row)
		}
	}
	return ""
}

// maxShownData is where the data of an error are cut, in characters.
const maxShownData = 2000

// write says it all: the cause first, then what was sent and what came, the
// process, its last words, the likely reason and the mend. It returns the rules
// whose findings need not be told any more.
func (t *trouble) write(w io.Writer, s *session.Snapshot, log recorder.Log) (told []string) {
	conns := s.Conns()
	if t.bare || len(conns) == 0 {
		fmt.Fprintf(w, "wiretea: %s\n", term.Visible(t.says))
		if t.data != "" && t.data != "null" {
			fmt.Fprintf(w, "  data: %s\n", format.Visible([]byte(t.data), maxShownData))
		}
		if t.body != "" {
			fmt.Fprintf(w, "  body: %s\n", format.Visible([]byte(t.body), 200))
		}
		if t.hint != "" {
			fmt.Fprintf(w, "  hint: %s\n", term.Visible(t.hint))
		}
		return nil
	}
	e := analysis.Gather(s, log, &conns[len(conns)-1])
	d := analysis.Diagnose(s, log, nil)
	if d.Cause == "echo" {
		t.says, t.hint = d.Sentence, ""
	}
	fmt.Fprintf(w, "wiretea: %s\n", term.Visible(t.says))
	fmt.Fprintf(w, "  sent: %s\n", term.ListOr(e.Sent, "nothing"))
	fmt.Fprintf(w, "  came: %s\n", term.ListOr(e.Came, "nothing"))
	fmt.Fprintf(w, "  server: %s\n", e.Process)
	for _, line := range e.LastStderr() {
		fmt.Fprintf(w, "  stderr: %s\n", line)
	}
	reason, mend := t.reason(s, &d, &e)
	fmt.Fprintf(w, "  likely: %s\n", term.Visible(reason))
	if t.hint != "" {
		mend = t.hint
	}
	if mend != "" {
		fmt.Fprintf(w, "  hint: %s\n", term.Visible(mend))
	}
	return t.told
}

// reason is the likely reason and how to mend it: the diagnosis of the session,
// else what silence means. d is of the connection that is in trouble.
func (t *trouble) reason(s *session.Snapshot, d *diagnosis.Diagnosis, e *analysis.Evidence) (reason, mend string) {
	if t.lapsed {
		t.told = append(t.told, "unanswered-request", "request-never-answered")
	}
	t.covers(s, d)
	switch {
	case t.cause != nil:
		t.told = append(t.told, t.cause.Rule, "unanswered-request", "request-never-answered")
		return t.cause.Message, t.cause.Hint
	case d.Conn != e.Conn.ID:
	case d.Reason != "":
		return d.Reason, d.Mend
	case t.lapsed && (d.Cause == "unanswered-request" || d.Cause == "request-never-answered" || d.Cause == "no-answer"):
		return t.silence(e)
	case !d.Empty():
		return d.Sentence, d.Mend
	}
	if t.lapsed {
		return t.silence(e)
	}
	return "it does not say", "its own log may tell"
}

// covers notes the findings that the diagnosis says, or refutes: they need not be
// told again.
func (t *trouble) covers(s *session.Snapshot, d *diagnosis.Diagnosis) {
	all := s.Findings()
	for _, i := range d.Refuted {
		t.told = append(t.told, all[i].Rule)
	}
	if d.Finding < 0 {
		return
	}
	t.told = append(t.told, all[d.Finding].Rule)
	for _, i := range d.Groups[0].Follows {
		t.told = append(t.told, all[i].Rule)
	}
}

// silence is what it most likely means that an answer did not come.
func (t *trouble) silence(e *analysis.Evidence) (reason, mend string) {
	wait := "--timeout " + t.method + "=2m"
	switch {
	case e.Remote && len(e.Came) == 0:
		return "the server has taken the requests, and sent nothing: it is slow, waits for something, or does not speak MCP at this path", wait + " waits longer"
	case len(e.Came) == 0 && len(e.Stderr) == 0:
		return "the server has written nothing: it is still starting, waits for something, or does not speak MCP over stdio",
			"try the command by hand; one that is slow to start needs " + wait
	case len(e.Came) == 0:
		return "the server wrote to stderr only: it is still starting, or does not flush its stdout",
			"flush stdout after every message; one that is slow to start needs " + wait
	}
	if t.method == "subscriptions/listen" {
		return "the server has not acknowledged the subscription, which comes before everything else",
			"send notifications/subscriptions/acknowledged as soon as subscriptions/listen comes; " + wait + " waits longer"
	}
	return "the server answers other requests: this one is slow, waits for something, or was dropped", wait + " waits longer"
}
