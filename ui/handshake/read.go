package handshake

import (
	"bytes"
	"encoding/json"
	"slices"

	"wiretea/recorder"
	"wiretea/session"
)

// mostBody bounds a body that is read, in bytes.
const mostBody = 32 << 20

// maxBack is how many rows Value goes back for the lines of one value.
const maxBack = 100_000

// Value reads the JSON text of a row's message: its frame's body, and before it
// those of the lines on which its value began.
func Value(log recorder.Log, s *session.Snapshot, row uint32) ([]byte, error) {
	r := s.Row(row)
	body, err := recorder.ReadFrame(log, r, 0, mostBody)
	if err != nil || r.Flags&session.FlagJoined == 0 {
		return body, err
	}
	lines := [][]byte{body}
	size := len(body)
	for i, back := row, 0; i > 0 && back < maxBack && size < mostBody; back++ {
		i--
		p := s.Row(i)
		if p.Stream != r.Stream || p.Conn != r.Conn {
			continue
		}
		if p.Kind != session.RowPart {
			break
		}
		part, err := recorder.ReadFrame(log, p, 0, mostBody)
		if err != nil {
			return nil, err
		}
		lines = append(lines, part)
		size += len(part)
	}
	slices.Reverse(lines)
	return bytes.Join(lines, []byte{'\n'}), nil
}

// Members returns the members of an object with their keys as written, nil for
// any other value. Of members with the same key the last one counts.
func Members(raw []byte) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

// Elements returns the elements of an array, nil for any other value.
func Elements(raw []byte) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// Text returns the text of a string, empty for any other value.
func Text(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}
