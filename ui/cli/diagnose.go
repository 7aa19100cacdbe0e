package cli

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check/diagnosis"
)

// stderrHead is how much of a line of stderr a diagnosis looks at, in bytes.
const stderrHead = 1 << 10

// diagnose draws the root cause of what is wrong in a session. log has the lines
// of stderr; nil = they are not known. keep says which findings count, by their
// place; nil = all.
func diagnose(s *session.Snapshot, log recorder.Log, keep func(i int) bool) diagnosis.Diagnosis {
	if log == nil {
		return diagnosis.Among(s, nil, keep)
	}
	return diagnosis.Among(s, func(row session.Row) []byte {
		line, err := recorder.ReadFrame(log, row, 0, stderrHead)
		if err != nil {
			return nil // The file was cut since; its other lines may say enough.
		}
		return line
	}, keep)
}
