package recorder

import (
	"bytes"
	"slices"

	"wiretea/session"
)

// maxBack is how many rows ReadValue goes back for the lines of one value.
const maxBack = 100_000

// ReadValue reads the JSON text of a row's message: its frame's body, and before it
// those of the lines on which its value began. Of each it reads at most limit
// bytes, and it goes back no further once it has so many.
func ReadValue(log Log, s *session.Snapshot, row uint32, limit int64) ([]byte, error) {
	r := s.Row(row)
	body, err := ReadFrame(log, r, 0, limit)
	if err != nil || r.Flags&session.FlagJoined == 0 {
		return body, err
	}
	lines := [][]byte{body}
	size := int64(len(body))
	for i, back := row, 0; i > 0 && back < maxBack && size < limit; back++ {
		i--
		p := s.Row(i)
		if p.Stream != r.Stream || p.Conn != r.Conn {
			continue
		}
		if p.Kind != session.RowPart {
			break
		}
		part, err := ReadFrame(log, p, 0, limit)
		if err != nil {
			return nil, err
		}
		lines = append(lines, part)
		size += int64(len(part))
	}
	slices.Reverse(lines)
	return bytes.Join(lines, []byte{'\n'}), nil
}
