package http

import (
	"net/url"
	"strings"

	"wiretea/session/framing"
)

// maxEndpoint is how much of an event stream may pass before its endpoint is known, in
// bytes.
const maxEndpoint = 16 << 10

// An endpointScan looks for the endpoint event, with which a stream of the old HTTP+SSE
// transport begins ([2024-11-05] basic/transports §HTTP with SSE), in the bytes that pass.
type endpointScan struct {
	split framing.Splitter
	head  strings.Builder // head is what the event has besides its data.
	data  strings.Builder
	found bool
	over  bool
}

func newEndpointScan() *endpointScan {
	return &endpointScan{split: framing.Splitter{Mode: framing.Events}}
}

// push takes the next bytes, and returns the endpoint once it is known.
func (s *endpointScan) push(chunk []byte) (endpoint string, found bool) {
	if s.over {
		return "", false
	}
	s.split.Push(chunk, s.piece)
	return s.data.String(), s.found
}

// piece takes a part of the first event that has data.
func (s *endpointScan) piece(p framing.Piece) {
	if s.over {
		return
	}
	s.head.Write(p.Pre)
	s.data.Write(p.Data)
	if s.head.Len()+s.data.Len() > maxEndpoint {
		s.over = true
		return
	}
	if !p.End {
		return
	}
	if s.data.Len() == 0 { // A comment, or an event that is not dispatched.
		s.head.Reset()
		return
	}
	s.over = true
	for line := range strings.FieldsFuncSeq(strings.TrimPrefix(s.head.String(), "\ufeff"), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if name, value, _ := strings.Cut(line, ":"); name == "event" {
			s.found = strings.TrimPrefix(value, " ") == "endpoint"
		}
	}
}

// sameOrigin returns the URL that an endpoint means on the stream of a URL; nil where it is
// of another origin, to which the proxy posts nothing.
func sameOrigin(stream *url.URL, endpoint string) *url.URL {
	u, err := stream.Parse(strings.TrimSpace(endpoint))
	if err != nil || u.Scheme != stream.Scheme || u.User != nil || !sameHost(u, stream) {
		return nil
	}
	return u
}
