package session

import "unsafe"

// RowKind is the kind of a row of the store.
type RowKind uint8

const (
	RowText         RowKind = iota // RowText is a frame that is not a message: text, broken JSON, a scalar, a log object.
	RowRequest                     // RowRequest is a request.
	RowNotification                // RowNotification is a notification.
	RowResult                      // RowResult is a result response.
	RowError                       // RowError is an error response.
	RowBatch                       // RowBatch is a frame with several messages: an array, or several values on a line.
	RowPart                        // RowPart is a line of a value that ends on a later line.
	RowHeader                      // RowHeader is a Content-Length header block.
	RowBlank                       // RowBlank is a line of white space.
	RowGrowing                     // RowGrowing is a frame that has not ended yet.
	RowStderr                      // RowStderr is a line of stderr.
	RowIO                          // RowIO is an event on a stream.
	RowProc                        // RowProc is an event of the process: start, exit, signal.
	RowGap                         // RowGap means that bytes are missing here. Its Skip counts the lines of the file that it stands for.
	RowTrip                        // RowTrip is the head of an HTTP request. Its Skip is the number of the round trip.
	RowTripResponse                // RowTripResponse is the head of the response if that is an event stream, else the whole response. Skip is its status, 0 without a response.
	RowTripEnd                     // RowTripEnd is the end of an event stream.
)

// Event reports whether rows of the kind show an event, and not a frame.
func (k RowKind) Event() bool { return k >= RowIO }

// HasBody reports whether rows of the kind have bytes of their own.
func (k RowKind) HasBody() bool { return !k.Event() || k == RowTrip || k == RowTripResponse }

// Flags of a row.
type Flags uint16

const (
	FlagCancelled    Flags = 1 << iota // FlagCancelled: the request was cancelled.
	FlagLate                           // FlagLate: its timeout passed before the response, or has passed.
	FlagLost                           // FlagLost: its connection or its round trip ended without an answer; the response of a round trip is not whole.
	FlagUnterminated                   // FlagUnterminated: the stream ended within the line.
	FlagRaw                            // FlagRaw: the body is in raw records, from Off and Skip on.
	FlagJoined                         // FlagJoined: its value began on an earlier row.
	_                                  // This bit is free.
	FlagAsks                           // FlagAsks: a result that requests input, which was not given yet.
	FlagAsked                          // FlagAsked: a result that requested input, which was given.
	FlagToolError                      // FlagToolError: the result of a tool that reports an error, isError.
	FlagProbe                          // FlagProbe: a refusal of what was asked to find out whether the server knows it: of server/discover by a server of the legacy era, or of a method of HTTP other than POST with 405.
	FlagAnyStream                      // FlagAnyStream: a gap of which it is not known which stream lacks bytes; its Stream is C2S.
	FlagEvent                          // FlagEvent: the body is the data of an event, in several lines; in raw records the stream's syntax is between them.
	FlagDecided                        // FlagDecided: a policy, a fault or a person decided what became of the frame, and it did not cross as it was.
)

// A Row is one line of the store: fixed size, no pointers. Bodies are read from
// the Log.
type Row struct {
	Off    int64  // Off is the offset in the Log of its record, or of its first raw record.
	T      int64  // T is nanoseconds of the session: the frame's last byte.
	ID     IDRef  // ID is the raw text of its id.
	Dur    uint32 // Dur is T minus the time of the first byte, in µs, at most 2^32-1.
	Len    uint32 // Len is the body's length in bytes, at most 2^32-1.
	Skip   uint32 // Skip is its offset in its first raw record.
	Pair   uint32 // Pair is the row of its request or its response, or NoRow. A progress or cancelled notification has the request that it names.
	Method uint32 // Method is the interned method; for a response its request's. Rows of events have the event's word; RowTrip the HTTP method, RowTripResponse the status, RowTripEnd why.
	Target uint32 // Target is the interned tool, prompt or uri; for a response its request's. RowProc says more of the event: "code 3", RowIO its side, RowGap why, those of a round trip the request's target.
	Op     uint32 // Op numbers its operation, 0 = none.
	N      uint32 // N is its record number in the session file, which is shown to users; 0 = none.
	Conn   uint16
	Flags  Flags
	Kind   RowKind
	Stream Stream
	Way    Way
	Sev    Severity // Sev is the highest severity of its findings.
}

// The store needs at most 64 bytes per frame.
var _ [64 - unsafe.Sizeof(Row{})]byte

// Failed reports whether the row is a response that says that its request failed: an
// error response, the result of a tool that reports an error, or a response of HTTP with
// a status from 400 or none at all. One with FlagProbe does not say that.
func (r *Row) Failed() bool {
	switch r.Kind {
	case RowError:
		return r.Flags&FlagProbe == 0
	case RowTripResponse:
		return r.Flags&FlagProbe == 0 && (r.Skip == 0 || r.Skip >= 400)
	default:
		return r.Kind == RowResult && r.Flags&FlagToolError != 0
	}
}

// Substitutes reports whether the row is a request that went on in place of the one that came:
// the response, and the wait for it, are those of the latter.
func (r *Row) Substitutes() bool {
	return r.Kind == RowRequest && r.Way == WayOut && r.Flags&FlagDecided != 0 && r.Pair == NoRow
}

// An IDRef is an id's raw text: inline if it is short, else a reference into
// the snapshot. Zero means none. Snapshot.ID returns the text.
type IDRef uint64
