package compat

// A Fault is a row of the table: something in a server's output to which
// clients react differently. Not all of them violate a rule.
type Fault uint8

const (
	NotJSON Fault = iota
	BlankLine
	Scalar
	NotMessage
	ErrorNullID
	ErrorNoID
	UnknownNotification
	UnknownToken
	UnknownID

	InvalidUTF8
	CRLF
	ManyLines
	ByteOrderMark
	TrailingBytes
	NoNewline
	ContentLength
	IDType
	NullID
	ErrorNull
	ResultAndError
	UnknownKey
	NoVersion
	OtherVersion
	Batch
	LongLine

	NotANumber
	BrokenAnswer
	Interleaved
	UTF16
	TwoMessages
	FinalLine
	OtherNumber
	NoOutcome
	HalfPair
	Deep

	RevisionUnknown
	NoServerInfo
	NoCapabilities
	NullCursor
	NoInputSchema
	NullInputSchema
	EmptyInputSchema
	NoContent
	UnknownContent

	ProbeExit
	ProbeSilent

	NumFaults // NumFaults counts the faults.
)

// LongLineBytes is the length from which a line is a LongLine.
const LongLineBytes = 10 << 20

// DeepLevels is how many levels of arrays and objects pydantic, the parser of the
// Python SDKs, accepts. A message with more is Deep.
const DeepLevels = 201

// row returns the row of the fault, an empty one for an unknown fault.
func (f Fault) row() row {
	if f < NumFaults {
		return table.Get().rows[f]
	}
	return row{id: "?"}
}

// String returns the fault's id: "not-json".
func (f Fault) String() string { return f.row().id }

// Title describes the fault in a few words.
func (f Fault) Title() string { return f.row().title }

// Rule returns the id of the rule that reports it, empty for none.
func (f Fault) Rule() string { return f.row().rule }

// Reported returns the faults that the rule with that id reports.
func Reported(rule string) (s Faults) {
	for f := range NumFaults {
		if rule != "" && f.Rule() == rule {
			s = s.with(f)
		}
	}
	return s
}

// In returns the method in whose response the fault was measured; empty for faults
// between messages.
func (f Fault) In() string { return f.row().in }

// Faults is a set of faults. The zero value is empty.
type Faults uint64

// Faults must fit into 64 bits.
var _ [64 - NumFaults]struct{}

// Of returns the set of these faults.
func Of(list ...Fault) (s Faults) {
	for _, f := range list {
		s = s.with(f)
	}
	return s
}

func (s Faults) with(f Fault) Faults { return s | 1<<f }

// Has reports whether f is in the set.
func (s Faults) Has(f Fault) bool { return s&(1<<f) != 0 }

// All yields the faults of the set, in their order.
func (s Faults) All(yield func(Fault) bool) {
	for f := range NumFaults {
		if s.Has(f) && !yield(f) {
			return
		}
	}
}
