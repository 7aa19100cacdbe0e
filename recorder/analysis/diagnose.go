package analysis

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check/diagnosis"
)

// stderrHead is how much of a line of stderr a diagnosis looks at, in bytes.
const stderrHead = 1 << 10

// Diagnose returns the root cause of a session's findings. log provides the lines of
// stderr; nil means that they are unknown. keep selects the findings that count, by
// index; nil selects all.
func Diagnose(s *session.Snapshot, log recorder.Log, keep func(i int) bool) diagnosis.Diagnosis {
	if log == nil {
		return diagnosis.Among(s, nil, keep)
	}
	return diagnosis.Among(s, func(row session.Row) []byte {
		line, err := recorder.ReadFrame(log, row, 0, stderrHead)
		if err != nil {
			return nil // The file was truncated since; the other lines may be enough.
		}
		return line
	}, keep)
}
