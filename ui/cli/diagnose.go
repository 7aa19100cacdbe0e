package cli

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/diagnosis"
)

// stderrHead is how much of a line of stderr a diagnosis looks at, in bytes.
const stderrHead = 1 << 10

// diagnose draws the root cause of what is wrong in a session. log has the lines
// of stderr; nil = they are not known.
func diagnose(s *session.Snapshot, log recorder.Log) diagnosis.Diagnosis {
	if log == nil {
		return diagnosis.Of(s, nil)
	}
	return diagnosis.Of(s, func(row session.Row) []byte {
		line, err := recorder.ReadFrame(log, row, 0, stderrHead)
		if err != nil {
			return nil // The file was cut since; its other lines may say enough.
		}
		return line
	})
}
