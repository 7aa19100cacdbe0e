package compat

// An Outcome is a client's reaction to a frame, the worst last. The zero value
// means unknown.
type Outcome uint8

const (
	Unknown     Outcome = iota
	Accepts             // Accepts: it processes the frame.
	Skips               // Skips: it silently skips the frame.
	Reports             // Reports: it skips the frame, calls the program's error handler, and continues.
	Refuses             // Refuses: the request fails with an error; the connection continues.
	Hangs               // Hangs: the request stays open until its timeout; the connection continues.
	Disconnects         // Disconnects: the connection ends.
	numOutcomes
)

var outcomeWords = [numOutcomes]string{"not known", "accepts", "skips", "reports an error", "refuses", "hangs", "disconnects"}

// String returns the outcome's word in lower case.
func (o Outcome) String() string {
	if o < numOutcomes {
		return outcomeWords[o]
	}
	return "?"
}

// Breaks reports whether something fails that would work without the fault.
func (o Outcome) Breaks() bool { return o >= Refuses && o < numOutcomes }
