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
	ended  bool     // ended: the connection ended; says is what is known of it without a finding.
	method string   // method is the one that was not answered in time.
	told   []string // told are the rules of the findings that the reason covers.

	account bool // account: the diagnosis of the session has been said.

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
		return trouble{code: term.ExitUsage, says: why.Error(), hint: "--insist sends it anyway", bare: true}
	case errors.As(why, &notStarted):
		return trouble{code: term.ExitServer, says: fmt.Sprintf("starting %q: %s", notStarted.Name, notStarted.Why), hint: notStarted.Hint, bare: true, account: true}
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
		return trouble{code: term.ExitServer, says: endedBefore(s, r, connecting), ended: true}
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
		version, refused = conns[len(conns)-1].Version, analysis.RefusedQuestion(s, conns[len(conns)-1].ID)
	}
	switch {
	case refused != "":
		t.hint = "the server asked for " + refused + ", and got an error; --elicitation, --sampling and --root set the responses"
	case answer.Code == mcp.MethodNotFound && !known && r.method != "":
		t.hint = noSuchMethod(r.method)
	case r.method == "tools/call" && (answer.Code == mcp.MethodNotFound || answer.Code == codeNoCapability) && strings.Contains(strings.ToLower(answer.Message+string(answer.Data)), "task"):
		t.hint = "the tool may have to be run as a task: --task"
	case answer.Code == mcp.MethodNotFound && known && !m.In(version):
		t.hint = notInVersion(m, version)
	case answer.Code == mcp.MethodNotFound:
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
		otherwise += "; a tool of that name is called with: wiretea call tool " + format.ShellWord(method)
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

// endedBefore says that the connection ended, and what the server owed.
func endedBefore(s *session.Snapshot, r *callRequest, connecting bool) string {
	owed := r.title()
	if c := s.LastConn(); c != nil {
		if last := analysis.LastAsked(s, c.ID); last != "" {
			owed = last
		} else if connecting {
			owed = "the handshake"
		}
	}
	if r.open {
		return "the server closed the connection while " + r.title() + " was open"
	}
	return "the server closed the connection before it answered " + owed
}

// maxShownData is where the data of an error are cut, in characters.
const maxShownData = 2000

// write says it all: the cause first, then what was sent and what came, the
// process, its last words, the likely reason and the mend. What d says of the
// connection in trouble is said in its words; its findings are then covered.
func (t *trouble) write(w io.Writer, s *session.Snapshot, log recorder.Log, d *diagnosis.Diagnosis) {
	last := s.LastConn()
	if t.bare || last == nil {
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
		return
	}
	e := analysis.Gather(s, log, last)
	reason, mend := t.reason(s, d, &e)
	fmt.Fprintf(w, "wiretea: %s\n", term.Visible(t.says))
	fmt.Fprintf(w, "  sent: %s\n", term.ListOr(e.Sent, "nothing"))
	fmt.Fprintf(w, "  came: %s\n", term.ListOr(e.Came, "nothing"))
	fmt.Fprintf(w, "  server: %s\n", e.Process)
	for _, line := range e.LastStderr() {
		fmt.Fprintf(w, "  stderr: %s\n", line)
	}
	if reason != "" {
		fmt.Fprintf(w, "  likely: %s\n", term.Visible(reason))
	}
	if t.hint != "" {
		mend = t.hint
	}
	if mend != "" {
		fmt.Fprintf(w, "  hint: %s\n", term.Visible(mend))
	}
}

// reason is the likely reason and how to mend it: the diagnosis of the session,
// else what silence means. Where the connection ended, the diagnosis says that
// better than says.
func (t *trouble) reason(s *session.Snapshot, d *diagnosis.Diagnosis, e *analysis.Evidence) (reason, mend string) {
	if t.cause != nil {
		t.cover(t.cause.Rule, "unanswered-request", "request-never-answered")
		t.account = t.cause.Message == d.Sentence
		return t.cause.Message, t.cause.Hint
	}
	if t.lapsed {
		t.cover("unanswered-request", "request-never-answered")
	}
	switch {
	case d.Empty() || d.Conn != e.Conn.ID:
	case t.lapsed && silent(d.Cause):
		t.covers(s, d)
		return t.silence(e)
	case t.ended || d.Cause == "echo":
		t.covers(s, d)
		t.says, t.hint = d.Sentence, ""
		return d.Reason, d.Mend
	default:
		t.covers(s, d)
		return strings.TrimSuffix(d.Sentence+"; "+d.Reason, "; "), d.Mend
	}
	if t.lapsed {
		return t.silence(e)
	}
	return "it does not say", "its own log may tell"
}

// silent reports whether a cause is only that a request has no response.
func silent(cause string) bool {
	return cause == "unanswered-request" || cause == "request-never-answered" || cause == "no-answer"
}

// cover notes rules whose findings need not be told any more.
func (t *trouble) cover(rules ...string) { t.told = append(t.told, rules...) }

// covers notes that the diagnosis is said: the findings that belong to it need not be
// told again.
func (t *trouble) covers(s *session.Snapshot, d *diagnosis.Diagnosis) {
	t.account = true
	if d.Finding < 0 {
		return
	}
	all := s.Findings()
	t.cover(all[d.Finding].Rule)
	for _, i := range d.Groups[0].Follows {
		t.cover(all[i].Rule)
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
