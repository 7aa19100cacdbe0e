package rule

import (
	"bytes"
	"fmt"

	"wiretea/session"
	"wiretea/session/check/compat"
	"wiretea/session/mcp"
)

// A Rule is one entry of the catalogue. Its texts are in rules.txt.
type Rule struct {
	ID       string           // ID names the rule in findings, filters and on the command line.
	Severity session.Severity // Severity is the usual severity. A finding may have another one.
	Fault    Fault
	Since    mcp.Version // Since and Until bound the revisions; NoVersion = unbounded.
	Until    mcp.Version
	Alone    bool // Alone: it is wrong with one message by itself, whatever came before it.
	Timed    bool // Timed: it is about the time from a request to its response.
	NeedsAll bool // NeedsAll: it needs all earlier records, and stays silent if some are missing.

	// Check judges one event, for a rule without state. It gets the rule
	// itself. nil: the family's checker applies the rule.
	Check func(r *Rule, ev *session.Event, report session.Reporter)
}

// Fault is the side that must change its code, if that does not depend on the
// case.
type Fault uint8

const (
	Sender Fault = iota // Sender is the side that wrote the frame.
	Client
	Server
	Nobody
	Intermediary
)

// String returns sender, client, server, intermediary or nobody.
func (f Fault) String() string {
	return [...]string{Sender: "sender", Client: "client", Server: "server", Nobody: "nobody", Intermediary: "intermediary"}[f]
}

// A Ref is a place in the specification, for the revisions Since to Until.
// NoVersion leaves that bound open.
type Ref struct {
	Since, Until mcp.Version
	Page         string // Page is the path below the revision: "basic/transports".
	Anchor       string // Anchor is the heading's fragment: "stdio"; empty = the page.
	URL          string // URL is the address of a place outside the specification; Page and Anchor are empty then.
}

// In reports whether the rule applies to revision v. As long as the revision is
// unknown, only rules for all revisions apply.
func (r *Rule) In(v mcp.Version) bool {
	if v == mcp.NoVersion {
		return r.Since == mcp.NoVersion && r.Until == mcp.NoVersion
	}
	return within(v, r.Since, r.Until)
}

// Revisions returns the revisions that the rule applies to, as text.
func (r *Rule) Revisions() string {
	switch {
	case r.Since == mcp.NoVersion && r.Until == mcp.NoVersion:
		return "all"
	case r.Until == mcp.NoVersion:
		return "from " + r.Since.String()
	case r.Since == mcp.NoVersion:
		return "to " + r.Until.String()
	case r.Since == r.Until:
		return r.Since.String()
	}
	return r.Since.String() + " to " + r.Until.String()
}

// within reports whether v is in since … until, where NoVersion is open.
func within(v, since, until mcp.Version) bool {
	return (since == mcp.NoVersion || v >= since) && (until == mcp.NoVersion || v <= until)
}

// Version returns the revision that an event is judged by: that of its
// exchange, else the one in effect on its connection.
func Version(ev *session.Event) mcp.Version {
	if ev.Exchange != nil && ev.Exchange.Version != mcp.NoVersion {
		return ev.Exchange.Version
	}
	if ev.Conn != nil {
		return ev.Conn.Version
	}
	return mcp.NoVersion
}

// At returns the rule's finding at an event. The message is format with args;
// without args it is format unchanged. Callers change the other fields
// (Severity, Fault, Key, Row, Hint) in the result.
//
// The finding refers to the event's frame; for ExchangeGone, and any other
// event with an exchange but no frame, to the request; for an event of a round
// trip to its request's head; else to no frame. Fault
// Sender is the side that wrote the frame; without a frame, the side that must
// answer the exchange, or that writes the event's stream.
func (r *Rule) At(ev *session.Event, format string, args ...any) session.Finding {
	f := session.Finding{
		Rule:     r.ID,
		Severity: r.Severity,
		Fault:    r.blame(ev),
		Row:      session.NoRow,
		Last:     session.NoRow,
		Count:    1,
		Alone:    r.Alone,
		Timed:    r.Timed,
		T:        ev.T,
		Message:  format,
		Hint:     r.Text().Hint,
		Ref:      r.Ref(Version(ev)),
	}
	if len(args) > 0 {
		f.Message = fmt.Sprintf(format, args...)
	}
	if ev.Conn != nil {
		f.Conn = ev.Conn.ID
	}
	switch {
	case ev.Frame != nil:
		f.Row, f.N = ev.Frame.Row, ev.Frame.N
	case ev.Exchange != nil:
		f.Row, f.N = ev.Exchange.Req, ev.Exchange.ReqN
	case ev.Trip != nil:
		f.Row = ev.Trip.Row
	}
	f.Last = f.Row
	if f.Fault == session.Server {
		f.Breaks = r.breaks(ev)
	}
	return f
}

// Clients returns the names of the clients that fail whenever a server breaks the
// rule, as package compat has them. Callers must not change it.
func (r *Rule) Clients() []string { return compat.Broken(r.ID) }

// breaks returns the names of the clients that fail in this case; of a frame that is
// not known completely, those that fail in every case.
func (r *Rule) breaks(ev *session.Event) []string {
	faults := compat.Reported(r.ID)
	if f := ev.Frame; faults == 0 || f == nil || f.Whole == nil || f.Header || f.Body {
		return r.Clients()
	}
	return breaks(ev, faults)
}

// BreaksNameless returns the names of the clients that fail because the event's
// response has no id, or the id null.
func BreaksNameless(ev *session.Event) []string {
	if ev.Frame.Whole == nil {
		return nil
	}
	return breaks(ev, compat.Of(compat.ErrorNullID, compat.ErrorNoID, compat.NullID))
}

// breaks returns the names of the clients that fail because of what the event's
// frame has of these faults, as package compat has them; nil if it has none.
func breaks(ev *session.Event, faults compat.Faults) []string {
	f := ev.Frame
	c := compat.Context{
		CRLF:         bytes.HasPrefix(f.Term, []byte("\r\n")),
		Unterminated: len(f.Term) == 0,
		Lines:        f.Lines,
		Elsewhere:    ev.Match == session.MatchType,
	}
	c.Final = c.Unterminated
	if x := ev.Exchange; x != nil && ev.Match != session.MatchType {
		c.Answers = x.Method
	}
	return compat.BrokenBy(f.Whole, c, faults)
}

// blame returns the side at fault.
func (r *Rule) blame(ev *session.Event) session.Fault {
	switch r.Fault {
	case Client:
		return session.Client
	case Server:
		return session.Server
	case Nobody:
		return session.Nobody
	case Intermediary:
		return session.Intermediary
	}
	switch {
	case ev.Frame != nil:
		return ev.Frame.Stream.Sender()
	case ev.Exchange != nil:
		return ev.Exchange.Sender.Reverse().Sender()
	}
	return ev.Stream.Sender()
}

// Ref returns the URL of the rule's reference for revision v; the newest one if
// v is unknown or has none, and "" for a rule without references.
func (r *Rule) Ref(v mcp.Version) string {
	refs := r.Text().Refs
	if len(refs) == 0 {
		return ""
	}
	if v != mcp.NoVersion {
		for _, p := range refs {
			if within(v, p.Since, p.Until) {
				return p.Address(v)
			}
		}
	}
	return refs[len(refs)-1].Address(mcp.NoVersion)
}

// Address returns the place's URL in revision v, or in its newest revision if v
// is unknown.
func (p Ref) Address(v mcp.Version) string {
	if p.URL != "" {
		return p.URL
	}
	if v == mcp.NoVersion {
		v = p.Until
	}
	return mcp.Ref(v, p.Page, p.Anchor)
}

// A Family is a group of rules and the checker that applies them.
type Family struct {
	Name  string                 // Name is also the directory of its conversations below testdata.
	Title string                 // Title is the heading of its chapter in the documentation.
	Rules []*Rule                // Rules are listed in the order of the documentation.
	New   func() session.Checker // New returns a checker for one connection, which applies the rules that have no Check of their own. ConnEnded is its last event. nil if another family's checker applies them.

	// EveryFrame: its checker must see each frame. Others see no FrameSeen of a frame of stdin
	// or stdout that is one complete message, of which there are very many, but its MessageSeen.
	EveryFrame bool

	// Session returns the New of one session, for a family whose checkers compare
	// connections; nil for any other.
	Session func() func() session.Checker
}
