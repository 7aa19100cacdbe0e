package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
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
	says   string // says is the cause, one line.
	data   string // data is what an error answer carries besides; empty = none.
	hint   string // hint is one line; empty = what the findings say.
	bare   bool   // bare: says is all there is to say, the session tells nothing more.
	lapsed bool   // lapsed: the time was up, with the server still there.
	method string // method is the one that was not answered in time.
}

// troubleOf words an error of talk.
func troubleOf(ctx context.Context, r *callRequest, s *session.Snapshot, why error) trouble {
	var (
		notStarted *transport.StartError
		late       *client.TimeoutError
		answer     *client.RPCError
		asks       *client.InputRequiredError
		wrong      *unmatched
		greeting   *noConnection
	)
	connecting := errors.As(why, &greeting)
	switch {
	case errors.As(why, &wrong):
		return trouble{code: term.ExitUsage, says: why.Error(), hint: "--insist sends it all the same", bare: true}
	case errors.As(why, &notStarted):
		return trouble{code: term.ExitServer, says: fmt.Sprintf("starting %q: %s", notStarted.Name, notStarted.Why), hint: notStarted.Hint, bare: true}
	case ctx.Err() != nil:
		return trouble{code: term.ExitInterrupted, says: r.title() + ": cancelled by you; " + serverTold(connecting), bare: true}
	case errors.As(why, &asks):
		return trouble{code: term.ExitFound, says: asks.Error(), hint: "--elicitation, --sampling and --root say what to answer", bare: true}
	case errors.As(why, &answer) && !connecting:
		return errorAnswer(r, s, answer)
	case errors.As(why, &late):
		return trouble{code: term.ExitTimeout, says: "the server did not answer " + late.Method + " within " + late.After.String(), lapsed: true, method: late.Method}
	case errors.Is(why, client.ErrVersion):
		return trouble{code: term.ExitServer, says: "connecting: " + why.Error(), hint: "--protocol-version asks for another one"}
	case errors.As(why, &answer):
		return trouble{code: term.ExitServer, says: "the server refuses the handshake: " + why.Error(), hint: refusedHint(answer)}
	case errors.Is(why, client.ErrClosed):
		return trouble{code: term.ExitServer, says: endedBefore(s, r, connecting)}
	case connecting:
		return trouble{code: term.ExitServer, says: "connecting: " + why.Error()}
	}
	return trouble{code: term.ExitFound, says: r.title() + ": " + strings.TrimPrefix(why.Error(), r.method+": ")}
}

// serverTold says what the server knows of the interruption.
func serverTold(connecting bool) string {
	if connecting {
		return "the server had not answered the handshake"
	}
	return "the server was told"
}

func refusedHint(answer *client.RPCError) string {
	if answer.Code == term.CodeNoMethod {
		return "the server may speak the other era: --era auto tries both"
	}
	return "--era and --protocol-version ask in another way"
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
		t.hint = "the server asked for " + refused + ", and got an error; --elicitation, --sampling and --root say what to answer"
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
	return term.Nearest(method, names, otherwise)
}

// notInVersion says which revisions have a method that the one in effect has not.
func notInVersion(m *mcp.Method, version mcp.Version) string {
	text := fmt.Sprintf("it is not in %s, which is spoken here; the protocol ", version)
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
		case endedByItself(c) && c.ExitSig != "":
			text = "the server was killed by " + c.ExitSig
		case endedByItself(c):
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

// endedByItself reports whether a server exited while its stdin was open and
// nobody had told it to.
func endedByItself(c *session.Conn) bool {
	return c.Exited && (c.StdinEOF == 0 || c.ExitT <= c.StdinEOF) && len(c.Signals) == 0 || c.Exited && c.StdoutEOF > 0 && c.StdoutEOF <= c.StdinEOF && len(c.Signals) == 0
}

// lastAsked is the latest request of a connection that has no answer.
func lastAsked(s *session.Snapshot, conn int) string {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if row.Kind == session.RowRequest && row.Stream == session.C2S && int(row.Conn) == conn && row.Pair == session.NoRow {
			return requestWords(s, row)
		}
	}
	return ""
}

func requestWords(s *session.Snapshot, row session.Row) string {
	words := s.Name(row.Method)
	if target := s.Name(row.Target); target != "" {
		words += " " + target
	}
	if id := s.ID(row); id != "" {
		words += " (id " + id + ")"
	}
	return words
}

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
		if t.hint != "" {
			fmt.Fprintf(w, "  hint: %s\n", term.Visible(t.hint))
		}
		return nil
	}
	e := gather(s, log, &conns[len(conns)-1])
	d := analysis.Diagnose(s, log, nil)
	if d.Cause == "echo" {
		t.says, t.hint = d.Sentence, ""
	}
	fmt.Fprintf(w, "wiretea: %s\n", term.Visible(t.says))
	fmt.Fprintf(w, "  sent: %s\n", term.ListOr(e.sent, "nothing"))
	fmt.Fprintf(w, "  came: %s\n", term.ListOr(e.came, "nothing"))
	fmt.Fprintf(w, "  server: %s\n", e.process)
	for _, line := range e.stderr[max(0, len(e.stderr)-shownStderr):] {
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
	return e.told
}

// evidence is what the session shows of one connection, safe to print.
type evidence struct {
	conn    *session.Conn
	sent    []string // sent are the latest messages to the server.
	came    []string // came are the latest lines from it.
	process string
	stderr  []string // stderr are its last lines that say something, oldest first.
	told    []string // told are the rules of the findings that the reason covers.
}

const (
	shownMessages = 4    // shownMessages is how many messages of each side are named.
	shownStderr   = 6    // shownStderr is how many lines of stderr are shown.
	readStderr    = 60   // readStderr is how many are looked through for a cause.
	shownLine     = 160  // shownLine is where a line is cut, in characters.
	maxShownData  = 2000 // maxShownData is where the data of an error are cut, in characters.
)

// gather collects the evidence.
func gather(s *session.Snapshot, log recorder.Log, c *session.Conn) evidence {
	e := evidence{conn: c, process: processWords(c)}
	sent, came := 0, 0
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if int(row.Conn) != c.ID || row.Kind == session.RowIO || row.Kind == session.RowProc || row.Kind == session.RowGap {
			continue
		}
		switch row.Stream {
		case session.C2S:
			if sent++; sent <= shownMessages {
				e.sent = append([]string{messageWords(s, log, row)}, e.sent...)
			}
		case session.S2C:
			if came++; came <= shownMessages {
				e.came = append([]string{messageWords(s, log, row)}, e.came...)
			}
		case session.Stderr:
			if line := lineOf(log, row); len(e.stderr) < readStderr && saysSomething(line) {
				e.stderr = append([]string{line}, e.stderr...)
			}
		}
	}
	e.sent = withEarlier(e.sent, sent)
	e.came = withEarlier(e.came, came)
	return e
}

// saysSomething reports whether a line of stderr is more than the frame of a
// stack, a brace, or nothing.
func saysSomething(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return len(line) > 2 && !strings.HasPrefix(line, "at ") && !strings.HasPrefix(line, "^")
}

// withEarlier says how many came before those that are shown.
func withEarlier(shown []string, all int) []string {
	if earlier := all - len(shown); earlier > 0 {
		return append([]string{fmt.Sprintf("%s earlier", format.Plural(int64(earlier), "message"))}, shown...)
	}
	return shown
}

func messageWords(s *session.Snapshot, log recorder.Log, row session.Row) string {
	switch row.Kind {
	case session.RowResult:
		return term.Visible("the result of " + requestWords(s, row))
	case session.RowError:
		return term.Visible("an error for " + requestWords(s, row))
	case session.RowRequest, session.RowNotification:
		return term.Visible(requestWords(s, row))
	default:
		return fmt.Sprintf("%q", lineOf(log, row))
	}
}

// lineOf is the beginning of a row's line.
func lineOf(log recorder.Log, row session.Row) string {
	body, err := recorder.ReadFrame(log, row, 0, 4*shownLine)
	if err != nil {
		return "?"
	}
	return format.Visible(body, shownLine)
}

// processWords is how the process ended, and at whose wish.
func processWords(c *session.Conn) string {
	after := func(t int64) string { return format.Duration(max(t-c.StartT, 0)) + " after its start" }
	switch {
	case !c.Started:
		return "was not started"
	case !c.Exited:
		return fmt.Sprintf("pid %d, its end was not seen", c.PID)
	case endedByItself(c) && c.ExitSig != "":
		return "killed by " + c.ExitSig + ", " + after(c.ExitT)
	case endedByItself(c):
		return fmt.Sprintf("exited with code %d, %s", c.ExitCode, after(c.ExitT))
	case len(c.Signals) > 0:
		return fmt.Sprintf("was alive, did not exit when its stdin was closed, and was ended with %s", c.Signals[len(c.Signals)-1].Signal)
	case c.ExitSig != "":
		return "was alive; killed by " + c.ExitSig + " once its stdin was closed"
	}
	return fmt.Sprintf("was alive; exited with code %d once its stdin was closed", c.ExitCode)
}
