package compat

import (
	_ "embed"
	"slices"
	"strings"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// Silently is the note of a client that hangs without calling its error
// handler.
const Silently = "silently"

// A cell is the reaction of one client to one fault.
type cell struct {
	out  Outcome
	note string // note adds to the outcome; empty = nothing.
}

// A row describes a fault.
type row struct {
	id    string // id is its name in tests and the documentation.
	cells [NumClients]cell
	in    string // in is the method whose response has it; empty = it is between messages.
	rule  string // rule is the id of the rule that reports it, empty = none.
	title string
}

// A source is the client that was measured.
type source struct{ name, short, version string }

//go:embed faults.txt
var faultsText string

// measured holds the parsed faults.txt.
type measured struct {
	sources []source
	rows    []row
}

var table = lazy.Value[*measured]{New: func() *measured {
	t, cells := &measured{}, map[string]cell{}
	for o, word := range outcomeWords {
		word, _, _ = strings.Cut(word, " ")
		cells[word] = cell{out: Outcome(o)}
	}
	for line := range lazy.Lines(faultsText) {
		columns := strings.Split(line, "|")
		for i, column := range columns {
			columns[i] = strings.TrimSpace(column)
		}
		key, rest, _ := strings.Cut(columns[0], " ")
		switch key {
		case "client":
			t.sources = append(t.sources, source{rest, columns[1], columns[2]})
		case "reaction":
			words := strings.SplitN(rest, " ", 3)
			cells[words[0]] = cell{cells[words[1]].out, words[2]}
		default:
			r := row{id: key, in: columns[2], rule: columns[3], title: columns[4]}
			for c, name := range strings.Fields(columns[1]) {
				r.cells[c] = cells[name]
			}
			t.rows = append(t.rows, r)
		}
	}
	return t
}}

// spoilt are the faults of responses that nobody can read as such.
const spoilt = Faults(1<<NotANumber | 1<<BrokenAnswer | 1<<Interleaved | 1<<UTF16 | 1<<NoOutcome)

// A Verdict is a client's reaction to a frame.
type Verdict struct {
	Client  Client
	Outcome Outcome
	Fault   Fault  // Fault is the reason; NumFaults if it Accepts all.
	Note    string // Note adds to the outcome, in a few words; empty = nothing.
}

// Wait returns how long the client then waits; 0 if it does not wait, or has no
// timeout of its own.
func (v Verdict) Wait() time.Duration {
	if v.Outcome != Hangs {
		return 0
	}
	return v.Client.Timeout()
}

// Of returns a client's reaction to a fault.
func (c Client) Of(f Fault) Verdict {
	v := Verdict{Client: c, Fault: f}
	if c < NumClients && f < NumFaults {
		cell := f.row().cells[c]
		v.Outcome, v.Note = cell.out, cell.note
	}
	return v
}

// Lost is the note of a client that would hang if the frame were a response.
const Lost = "the message is lost"

// Verdicts returns the reaction of every client to a frame with these faults:
// the worst of any of them. It is Unknown if nothing is known for one of them
// and no other breaks the client. answers: the frame is a response; no request
// waits for any other frame, which is then Lost.
func (s Faults) Verdicts(answers bool) [NumClients]Verdict {
	var all [NumClients]Verdict
	for c := range NumClients {
		all[c] = Verdict{Client: c, Outcome: Accepts, Fault: NumFaults}
		unknown := false
		for f := range s.All {
			v := c.Of(f)
			if v.Outcome == Hangs && !answers && f < ProbeExit && !spoilt.Has(f) {
				v = v.lost()
			}
			unknown = unknown || v.Outcome == Unknown
			if v.Outcome > all[c].Outcome || v.Outcome == Accepts && all[c].Outcome == Accepts && v.Note != "" {
				all[c] = v
			}
		}
		if unknown && !all[c].Outcome.Breaks() {
			all[c] = Verdict{Client: c, Fault: NumFaults}
		}
	}
	return all
}

// lost returns the reaction if no request waits for the frame.
func (v Verdict) lost() Verdict {
	v.Outcome = Reports
	if v.Note == Silently {
		v.Outcome = Skips
	}
	v.Note = Lost
	return v
}

// broken are the clients that break on each rule, by the rule's id.
var broken = lazy.Value[map[string][]string]{New: func() map[string][]string {
	faults := map[string][]Fault{}
	for f := range NumFaults {
		if id := f.Rule(); id != "" {
			faults[id] = append(faults[id], f)
		}
	}
	names := map[string][]string{}
	for id, list := range faults {
		names[id] = []string{}
		for _, known := range mcp.Clients() {
			c := clientOf(known.Name)
			if c < NumClients && !slices.ContainsFunc(list, func(f Fault) bool { return !c.Of(f).Outcome.Breaks() }) {
				names[id] = append(names[id], known.Name)
			}
		}
	}
	return names
}}

// Broken returns the names of the clients that break on every fault that the
// rule with that id reports, in the order of mcp.Clients; nil if no fault has
// that rule. Callers must not change it.
func Broken(rule string) []string { return broken.Get()[rule] }

// BrokenBy returns the names of the clients that break on what a frame has of
// these faults, in the order of mcp.Clients; nil if it has none of them, so that
// nothing is known.
func BrokenBy(body []byte, c Context, faults Faults) []string {
	found := Find(body, c) & faults
	if found == 0 {
		return nil
	}
	answers := false
	jsonrpc.Scan(body, func(m *jsonrpc.Message) { answers = answers || m.Kind == jsonrpc.Result || m.Kind == jsonrpc.Error })
	verdicts := found.Verdicts(answers)
	var names []string
	for _, known := range mcp.Clients() {
		if c := clientOf(known.Name); c < NumClients && verdicts[c].Outcome.Breaks() {
			names = append(names, known.Name)
		}
	}
	return names
}
