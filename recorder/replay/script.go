package replay

import (
	"cmp"
	"fmt"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// An End is one end of a connection.
type End uint8

const (
	ClientEnd End = iota // ClientEnd has what the client wrote and got.
	ServerEnd            // ServerEnd has what the server got and wrote.
)

// lacks reports whether a frame with this way did not pass the end.
func (e End) lacks(s session.Stream, w session.Way) bool {
	sent := s == session.C2S == (e == ClientEnd)
	return sent && w == session.WayOut || !sent && w == session.WayIn
}

// A Script is one connection of a recording. It is read only.
type Script struct {
	Conn     int             // Conn is the connection's number, from 1.
	Header   *session.Header // Header is the recording's.
	Era      mcp.Era         // Era is the one that its client settled on.
	Version  string          // Version is the protocol's as written; empty where none was agreed on.
	Steps    []Step          // Steps are in the order in which they were recorded.
	Messages []Message
	Lost     int64 // Lost is how many bytes of the connection could not be recorded.
	Damaged  int64 // Damaged counts the lines of the recording that are not records.
	Torn     int64 // Torn is how many bytes of a record that was never finished the recording ends with.

	log  recorder.Log
	rows *session.Snapshot
}

// lacks reports whether a part of the session is not in the recording.
func (s *Script) lacks() bool { return s.Lost+s.Damaged+s.Torn > 0 }

// StepKind is what happened.
type StepKind uint8

const (
	FromClient StepKind = iota // FromClient: the client wrote a frame.
	FromServer                 // FromServer: the server wrote a frame.
	Stderr                     // Stderr: the server wrote a line to stderr.
	ClientGone                 // ClientGone: the client closed the server's stdin.
	ServerGone                 // ServerGone: the server's stdout ended.
	Signalled                  // Signalled: the server got a signal.
	Exited                     // Exited: the server's process ended.
)

// A Step is one thing that happened on a connection: a frame, or several that
// make one value, or an event.
type Step struct {
	Kind   StepKind
	T      int64           // T is when, in nanoseconds of the session.
	N      uint64          // N is the record's number, as it is displayed.
	Msg    int32           // Msg is its first message's place in Script.Messages.
	Msgs   int32           // Msgs counts its messages; 0 for a frame that is not a message.
	Exit   *transport.Exit // Exit is set with Exited.
	line   line
	lines  []line // lines are all of them where the step has several; nil = line alone.
	resent bool   // resent: over HTTP it was refused, and sent again as it was.
	untold bool   // untold: HTTP refused a request with it, and it has not the request's id: no client hands it on.
	began  int64  // began orders the steps: when what a client wrote was whole, and when what a server wrote began.
}

// A line is one frame of the recording.
type line struct {
	row    uint32
	header bool // header: a Content-Length header block.
	term   string
	trip   *session.Trip // trip is the round trip of HTTP that it crossed in; nil over stdio.
}

// A Message is one JSON-RPC message of a step.
type Message struct {
	Kind   jsonrpc.Kind
	Modern bool // Modern: a client's request that belongs to the modern era.
	Sender StepKind
	Step   int32  // Step is the step's place in Script.Steps.
	Of     int32  // Of is the message that it answers, or names (progress, cancelled, a subscription); -1 = none.
	Answer int32  // Answer is the first response to it; -1 = none.
	Method string // Method is a request's and a notification's, and for a response its request's.
	Target string // Target is the tool, prompt or uri of a request.
	ID     string // ID is the raw text, cut at jsonrpc.MaxCapture bytes.
	Token  string // Token is the raw progress token that it gives or names; empty = none.
	key    uint64 // key is what a client's message is matched by; 0 = it has to be read first.
}

// messages returns the messages of a step.
func (s *Script) messages(step int32) []Message {
	st := &s.Steps[step]
	return s.Messages[st.Msg : st.Msg+st.Msgs]
}

// Requests counts the client's requests.
func (s *Script) Requests() int {
	n := 0
	for i := range s.Messages {
		if m := &s.Messages[i]; m.Kind == jsonrpc.Request && m.Sender == FromClient {
			n++
		}
	}
	return n
}

// minShutdown is how soon after the end of its input, in nanoseconds, a signal says
// nothing of a server: its client did not wait for it to end.
const minShutdown = int64(time.Second)

// killed reports whether the server was ended by a signal before it had time to end
// by itself: how it would have ended is not known.
func (s *Script) killed() bool {
	gone := int64(-1)
	for i := range s.Steps {
		switch st := &s.Steps[i]; st.Kind {
		case ClientGone:
			gone = st.T
		case Signalled:
			return gone < 0 || st.T-gone < minShutdown
		case FromClient, FromServer, Stderr, ServerGone, Exited:
		}
	}
	return false
}

// request finds the message with an id among those of a row's step.
func (s *Script) request(step int32, id string) int32 {
	first := int32(-1)
	for i := range s.Steps[step].Msgs {
		at := s.Steps[step].Msg + i
		m := &s.Messages[at]
		if m.Kind != jsonrpc.Request {
			continue
		}
		if m.ID == id {
			return at
		}
		if first < 0 {
			first = at
		}
	}
	return first
}

// words is a step in a few words.
func (s *Script) words(step int32) string {
	list := s.messages(step)
	switch len(list) {
	case 0:
		return "a line that is not a message"
	case 1:
		return list[0].words()
	}
	return fmt.Sprintf("%s and %d more", list[0].words(), len(list)-1)
}

// words is a message in a few words: its method, what it acts on, its id.
func (m *Message) words() string {
	w := cmp.Or(describe(m), "an answer to no request")
	if m.ID != "" {
		w += " (" + m.ID + ")"
	}
	return w
}

// memberSpan finds a member below a value of a text by the names that lead to it;
// an absent span where there is none.
func memberSpan(body []byte, in jsonrpc.Span, path ...string) jsonrpc.Span {
	value := in.In(body)
	for _, name := range path {
		value = lex.Get(value, name)
	}
	if value == nil {
		return jsonrpc.Span{}
	}
	// The value lies in body.
	return jsonrpc.Span{Type: jsonrpc.TypeOf(value), Off: int64(cap(body) - cap(value)), Len: int64(len(value))}
}
