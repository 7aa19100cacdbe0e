package compat

// An Outcome is what a client does with a frame, the worst last. The zero value
// is that nothing is known.
type Outcome uint8

const (
	Unknown     Outcome = iota
	Accepts             // Accepts: it takes the frame for what it says.
	Skips               // Skips: it passes over the frame, and tells nobody.
	Reports             // Reports: it passes over the frame, tells the program's error handler, and goes on.
	Refuses             // Refuses: the request that is answered fails with an error; the connection goes on.
	Hangs               // Hangs: the request that is answered stays open until its timeout; the connection goes on.
	Disconnects         // Disconnects: the connection is over.
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

// Breaks reports whether something does not work that would work without the
// fault.
func (o Outcome) Breaks() bool { return o >= Refuses && o < numOutcomes }
