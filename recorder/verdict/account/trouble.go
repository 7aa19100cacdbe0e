package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wiretea/recorder/analysis"
	"wiretea/recorder/checkup"
	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/session/transport"
)

// A trouble says in words why a request has no result: what happened, and the evidence
// of the session.
type trouble struct {
	outcome Outcome
	says    string   // says is the cause, one line.
	data    string   // data is what an error answer carries besides; empty = none.
	body    string   // body is the beginning of what an HTTP response had in the place of an answer; empty = none.
	hint    string   // hint is one line; empty = what the findings say.
	bare    bool     // bare: says is all there is to say, the session tells nothing more.
	lapsed  bool     // lapsed: the time was up, with the server still there.
	ended   bool     // ended: the connection ended; says is what is known of it without a finding.
	method  string   // method is the one that was not answered in time.
	told    []string // told are the rules of the findings that the reason covers.

	account bool // account: the diagnosis of the session has been said.
}

// troubleOf words an error of the request.
func troubleOf(ctx context.Context, r *Request, s *session.Snapshot, why error) trouble {
	var (
		notStarted *transport.StartError
		late       *client.TimeoutError
		answer     *client.RPCError
		asks       *client.InputRequiredError
		wrong      *Unmatched
		greeting   *NoConnection
		refused    *client.HTTPError
	)
	connecting, told := errors.As(why, &greeting), "the server was told"
	if connecting {
		told = "the server had not answered the handshake"
	}
	switch {
	case errors.As(why, &wrong):
		return trouble{outcome: Misused, says: why.Error(), hint: "--insist sends it anyway", bare: true}
	case errors.As(why, &notStarted):
		return trouble{outcome: ServerFailed, says: fmt.Sprintf("starting %q: %s", notStarted.Name, notStarted.Why), hint: notStarted.Hint, bare: true, account: true}
	case ctx.Err() != nil:
		return trouble{outcome: Interrupted, says: r.Title + ": cancelled by you; " + told, bare: true}
	case errors.As(why, &asks) && len(asks.Asks) == 0:
		return trouble{outcome: Refused, says: asks.Error(), bare: true}
	case errors.As(why, &asks):
		return trouble{outcome: Refused, says: asks.Error(), hint: "--elicitation, --sampling and --root set the responses", bare: true}
	case errors.As(why, &refused):
		t := trouble{outcome: ServerFailed, says: r.Title + ": " + strings.TrimPrefix(why.Error(), r.Method+": "), body: refused.Text, hint: refused.Hint, bare: true}
		if connecting {
			t.says = "connecting: " + why.Error()
		}
		return t
	case errors.As(why, &answer) && !connecting:
		return errorAnswer(r, s, answer)
	case errors.As(why, &late):
		return trouble{outcome: TimedOut, says: "the server did not answer " + late.What() + " within " + late.After.String(), lapsed: true, method: late.Method}
	case errors.Is(why, client.ErrVersion):
		return trouble{outcome: ServerFailed, says: "connecting: " + why.Error(), hint: "--protocol-version asks for another one"}
	case errors.As(why, &answer):
		return trouble{outcome: ServerFailed, says: "the server refuses the handshake: " + why.Error(), hint: checkup.RefusedHint(answer)}
	case errors.Is(why, client.ErrClosed):
		return trouble{outcome: ServerFailed, says: endedBefore(s, r, connecting), ended: true}
	case connecting:
		return trouble{outcome: ServerFailed, says: "connecting: " + why.Error()}
	}
	return trouble{outcome: Refused, says: r.Title + ": " + strings.TrimPrefix(why.Error(), r.Method+": ")}
}

// codeNoCapability is what a server says to a client that lacks a capability: [V5]
// basic/index §Error Codes.
const codeNoCapability = -32021

// errorAnswer words an error response to the request.
func errorAnswer(r *Request, s *session.Snapshot, answer *client.RPCError) trouble {
	t := trouble{outcome: Refused, says: r.Title + ": " + answer.Error(), data: string(answer.Data), bare: true}
	m, known := mcp.Lookup(r.Method)
	version, refused := mcp.NoVersion, ""
	if conns := s.Conns(); len(conns) > 0 {
		version, refused = conns[len(conns)-1].Version, analysis.RefusedQuestion(s, conns[len(conns)-1].ID)
	}
	switch {
	case refused != "":
		t.hint = "the server asked for " + refused + ", and got an error; --elicitation, --sampling and --root set the responses"
	case answer.Code == mcp.MethodNotFound && !known && r.Method != "":
		t.hint = noSuchMethod(r)
	case r.Method == "tools/call" && (answer.Code == mcp.MethodNotFound || answer.Code == codeNoCapability) && strings.Contains(strings.ToLower(answer.Message+string(answer.Data)), "task"):
		if t.hint = "the tool may have to be run as a task: --task"; r.Task {
			t.hint = "the tool may not be able to run as a task: try it as a plain call"
		}
	case answer.Code == mcp.MethodNotFound && known && !m.In(version):
		t.hint = notInVersion(m, version)
	case answer.Code == mcp.MethodNotFound:
		t.hint = "the server does not offer it; wiretea call initialize -- CMD shows what it declares"
	case r.Bare && r.Method == "tools/call":
		t.hint = `it wants parameters: tools/call '{"name":"echo","arguments":{}}', or tool echo message=hi`
	}
	return t
}

// noSuchMethod says what a method may have been meant for that the protocol does
// not have.
func noSuchMethod(r *Request) string {
	names := slices.Clone(r.Forms)
	for _, m := range mcp.Methods() {
		names = append(names, m.Name)
	}
	otherwise := r.Method + " is not a method of the protocol"
	if !strings.Contains(r.Method, "/") {
		otherwise += "; a tool of that name is called with: wiretea call tool " + text.ShellWord(r.Method)
	}
	return text.Nearest(r.Method, names, otherwise)
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
func endedBefore(s *session.Snapshot, r *Request, connecting bool) string {
	owed := r.Title
	if c := s.LastConn(); c != nil {
		if last := analysis.LastAsked(s, c.ID); last != "" {
			owed = last
		} else if connecting {
			owed = "the handshake"
		}
	}
	if r.Open {
		return "the server closed the connection while " + r.Title + " was open"
	}
	return "the server closed the connection before it answered " + owed
}

// maxShownData is where the data of an error are cut, in characters.
const maxShownData = 2000

// lines say it all: the cause first, then what was sent and what came, the process, its
// last words, the likely reason and the mend. What d says of the connection in trouble is
// said in its words; its findings are then covered.
func (t *trouble) lines(s Session, d *cause.Diagnosis) (lines []string) {
	say := func(name, text string) {
		if text != "" {
			lines = append(lines, name+": "+text)
		}
	}
	last := s.LastConn()
	if t.bare || last == nil {
		say("wiretea", text.Line(t.says))
		if t.data != "null" {
			say("  data", text.Visible([]byte(t.data), maxShownData))
		}
		say("  body", text.Visible([]byte(t.body), 200))
		say("  hint", text.Line(t.hint))
		return lines
	}
	e := analysis.Gather(s.Snapshot, s.Log, last)
	reason, mend := t.reason(s.Snapshot, d, &e)
	say("wiretea", text.Line(t.says))
	say("  sent", cmp.Or(strings.Join(e.Sent, ", "), "nothing"))
	say("  came", cmp.Or(strings.Join(e.Came, ", "), "nothing"))
	say("  server", e.Process)
	for _, line := range e.LastStderr() {
		lines = append(lines, "  stderr: "+line)
	}
	say("  likely", text.Line(reason))
	say("  hint", text.Line(cmp.Or(t.hint, mend)))
	return lines
}

// reason is the likely reason and how to mend it: the diagnosis of the session,
// else what silence means. Where the connection ended, the diagnosis says that
// better than says.
func (t *trouble) reason(s *session.Snapshot, d *cause.Diagnosis, e *analysis.Evidence) (reason, mend string) {
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
func (t *trouble) covers(s *session.Snapshot, d *cause.Diagnosis) {
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

// NoConnection is why the handshake of a session did not succeed.
type NoConnection struct{ Err error }

func (e *NoConnection) Error() string { return e.Err.Error() }
func (e *NoConnection) Unwrap() error { return e.Err }

// Unmatched is returned for a request that was not sent because it does not fit what the
// server's schema says.
type Unmatched struct {
	What   string // What is the request.
	Faults []string
}

func (e *Unmatched) Error() string { return e.What + ": " + strings.Join(e.Faults, "; ") }
