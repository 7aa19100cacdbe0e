package diff

import (
	"bytes"
	"hash/maphash"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/lazy"
)

// An outcome is how a call ended.
type outcome uint8

const (
	unanswered outcome = iota // unanswered: no answer was recorded.
	cancelled                 // cancelled: its sender took it back, and no answer came.
	result                    // result: a result came.
	toolError                 // toolError: a result came that says isError.
	failed                    // failed: an error response came.
)

var outcomeWords = [...]string{"no answer", "cancelled", "a result", "a tool error", "an error"}

func (o outcome) String() string { return outcomeWords[o] }

// A call is a request and how it ended.
type call struct {
	sender session.Stream
	method string
	target string
	key    uint64 // key is equal for calls that ask the same.
	req    place
	resp   place
	n      uint64 // n is the request's record number, respN the answer's.
	respN  uint64
	ends   outcome
	code   string // code is the error's, as it is written.
	digest uint64 // digest is equal for answers that say the same.
	took   int64  // took is the latency in nanoseconds, -1 where there is none.
	cursor bool   // cursor: it asks for a further page.
	human  bool   // human: a person was asked meanwhile, or it was acted on here, so that its latency is not the server's.
	opaque bool   // opaque: its answer is too long or too deep to be compared, but by its length.
}

// A place is where a message is.
type place struct {
	row uint32
	off int64 // off and len are its place in the frame.
	len int64
	one bool // one: it is a part of its frame; else all of it.
}

var nowhere = place{row: session.NoRow}

// text reads a message.
func (s *Side) text(p place) ([]byte, error) {
	body, err := recorder.ReadValue(s.log, s.snap, p.row, diff.MaxBytes)
	if err == nil && p.one && p.off >= 0 && p.off+p.len <= int64(len(body)) {
		body = body[p.off : p.off+p.len]
	}
	return body, err
}

// Values that every session has anew.
var (
	freshAsked = lazy.Value[[]diff.Path]{New: func() []diff.Path {
		return diff.MustPaths(".id", ".params._meta", ".params.cursor", ".params.requestState", ".params.taskId", ".params.elicitationId")
	}}
	freshAnswered = lazy.Value[[]diff.Path]{New: func() []diff.Path {
		return diff.MustPaths(".id", ".result._meta", ".result.nextCursor", ".result.requestState",
			".result.taskId", ".result.createdAt", ".result.lastUpdatedAt",
			".result.task.taskId", ".result.task.createdAt", ".result.task.lastUpdatedAt",
			".result.tasks[*].taskId", ".result.tasks[*].createdAt", ".result.tasks[*].lastUpdatedAt",
			".error.data.elicitations[*].elicitationId")
	}}
)

// nothingAsked is freshAsked for a request without parameters of its own: that it has
// the member, for metadata or empty, asks for nothing.
var nothingAsked = lazy.Value[[]diff.Path]{New: func() []diff.Path {
	return append(diff.MustPaths(".params"), freshAsked.Get()...)
}}

// askedOf returns what in a request with these parameters, nil for none, does not
// count.
func askedOf(params []byte) []diff.Path {
	if params == nil {
		return nothingAsked.Get()
	}
	if len(params) > len("{}") && !bytes.Contains(params, []byte(`"_meta"`)) {
		return freshAsked.Get()
	}
	m := recorder.Members(params)
	if m != nil && len(m) == 0 || len(m) == 1 && m["_meta"] != nil {
		return nothingAsked.Get()
	}
	return freshAsked.Get()
}

// ignored returns patterns of ours with those of the user.
func (s *Side) ignored(fresh []diff.Path) []diff.Path {
	return append(fresh[:len(fresh):len(fresh)], s.opt.Ignore...)
}

var seed = lazy.Value[maphash.Seed]{New: maphash.MakeSeed}

// asks takes the hash of what a request asks for with its parameters, nil for none. A
// text that cannot be compared is equal to itself only.
func (s *Side) asks(c *call, text, params []byte, task int) {
	var h maphash.Hash
	h.SetSeed(seed.Get())
	h.WriteByte(byte(c.sender))
	h.WriteString(c.method)
	maphash.WriteComparable(&h, task)
	if c.cursor {
		h.WriteByte(1)
	}
	if !negotiates(c.method) && text != nil {
		digest, err := diff.Digest(text, s.ignored(askedOf(params))...)
		if err != nil {
			h.Write(text)
		}
		maphash.WriteComparable(&h, digest)
	}
	c.key = h.Sum64()
}

// answers takes the hash of what an answer says.
func (s *Side) answers(c *call, text []byte) {
	digest, err := diff.Digest(text, s.ignored(freshAnswered.Get())...)
	if err != nil {
		c.opaque = true
		digest = uint64(c.resp.len)
	}
	c.digest = digest
}

// negotiates reports whether a method is about who the two are and what they speak:
// that is compared as such.
func negotiates(method string) bool { return method == "initialize" || method == "server/discover" }

// polled reports whether a method is sent as often as its sender likes.
func polled(method string) bool { return method == "ping" || method == "tasks/get" }
