package compat

import (
	"slices"
	"time"

	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A cell is the reaction of one client to one fault.
type cell struct {
	out  Outcome
	note string // note adds to the outcome; empty = nothing.
}

// Cells without a note.
var (
	accepts     = cell{Accepts, ""}
	skips       = cell{Skips, ""}
	reports     = cell{Reports, ""}
	refuses     = cell{Refuses, ""}
	hangs       = cell{Hangs, ""}
	disconnects = cell{Disconnects, ""}
)

// Silently is the note of a client that hangs without calling its error
// handler.
const Silently = "silently"

var (
	silent   = cell{Hangs, Silently}
	unprobed = cell{Accepts, "does not send it"}
	noReply  = cell{Refuses, "the call fails with that error"}
	replaced = cell{Accepts, "the bytes are replaced"}
)

// table is what was measured. Its columns are in the order of the clients.
var table = [NumFaults][NumClients]cell{
	//                    TypeScript1, TypeScript2, Go, Python1, Python2, RMCP
	NotJSON:             {reports, skips, disconnects, reports, reports, skips},
	BlankLine:           {reports, skips, skips, reports, reports, skips},
	Scalar:              {reports, reports, disconnects, reports, reports, skips},
	NotMessage:          {reports, reports, disconnects, reports, reports, {Skips, "answers -32600 without id"}},
	ErrorNullID:         {reports, reports, disconnects, reports, skips, skips},
	ErrorNoID:           {reports, reports, disconnects, reports, reports, skips},
	UnknownNotification: {skips, skips, skips, skips, skips, skips},
	UnknownToken:        {reports, reports, skips, skips, skips, skips},
	UnknownID:           {reports, reports, skips, reports, skips, skips},

	InvalidUTF8:    {replaced, replaced, replaced, disconnects, disconnects, silent},
	CRLF:           {accepts, accepts, accepts, accepts, accepts, accepts},
	ManyLines:      {hangs, silent, accepts, hangs, hangs, silent},
	ByteOrderMark:  {hangs, silent, disconnects, hangs, hangs, accepts},
	TrailingBytes:  {hangs, silent, disconnects, hangs, hangs, silent},
	NoNewline:      {silent, silent, {Accepts, "disconnects if more follows at once"}, silent, silent, silent},
	ContentLength:  {hangs, silent, disconnects, hangs, hangs, silent},
	IDType:         {accepts, accepts, silent, accepts, accepts, accepts},
	NullID:         {hangs, hangs, disconnects, hangs, hangs, silent},
	ErrorNull:      {hangs, hangs, accepts, accepts, accepts, silent},
	ResultAndError: {hangs, hangs, noReply, noReply, noReply, silent},
	UnknownKey:     {hangs, hangs, accepts, accepts, accepts, accepts},
	NoVersion:      {hangs, hangs, disconnects, hangs, hangs, silent},
	OtherVersion:   {hangs, hangs, disconnects, hangs, hangs, silent},
	Batch:          {hangs, hangs, accepts, hangs, hangs, silent},
	LongLine:       {disconnects, disconnects, accepts, accepts, accepts, accepts},

	NotANumber:   {hangs, silent, disconnects, accepts, accepts, silent},
	BrokenAnswer: {hangs, silent, disconnects, hangs, hangs, silent},
	Interleaved:  {hangs, silent, disconnects, hangs, hangs, silent},
	UTF16:        {hangs, silent, disconnects, hangs, hangs, silent},
	TwoMessages:  {hangs, silent, disconnects, hangs, hangs, silent},
	FinalLine:    {disconnects, disconnects, accepts, disconnects, disconnects, disconnects},
	OtherNumber:  {accepts, accepts, accepts, hangs, hangs, accepts},
	NoOutcome:    {hangs, hangs, refuses, hangs, hangs, silent},
	HalfPair:     {accepts, accepts, accepts, hangs, hangs, silent},
	Deep:         {accepts, accepts, accepts, hangs, hangs, silent},

	RevisionUnknown:  {refuses, refuses, refuses, refuses, refuses, accepts},
	NoServerInfo:     {refuses, refuses, accepts, refuses, refuses, refuses},
	NoCapabilities:   {refuses, refuses, accepts, refuses, refuses, refuses},
	NullCursor:       {refuses, refuses, accepts, accepts, accepts, accepts},
	NoInputSchema:    {refuses, refuses, accepts, refuses, refuses, refuses},
	NullInputSchema:  {refuses, refuses, accepts, refuses, refuses, refuses},
	EmptyInputSchema: {refuses, refuses, accepts, accepts, refuses, accepts},
	NoContent:        {accepts, accepts, accepts, refuses, refuses, accepts},
	UnknownContent:   {refuses, refuses, refuses, refuses, refuses, refuses},

	ProbeExit:   {unprobed, {Accepts, "in mode auto it starts the server again; otherwise does not send it"}, disconnects, unprobed, disconnects, disconnects},
	ProbeSilent: {unprobed, {Accepts, "in mode auto, after a timeout; otherwise does not send it"}, silent, unprobed, {Accepts, "after 10 s"}, {Accepts, "after 10 s"}},
}

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
		v.Outcome, v.Note = table[f][c].out, table[f][c].note
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
