package replay

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strconv"

	"wiretea/session/json/diff"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
)

// A matcher finds the recorded message that stands for one of a live client's.
type matcher struct {
	script  *Script
	queues  queues[uint64]     // queues are the recorded messages and lines by key.
	methods map[string][]int32 // methods are the recorded requests by method.
	used    []bool             // used are the messages that have stood for one.
}

// A queue is recorded messages that cannot be told apart, in their order.
type queue struct {
	list []int32
	next int
}

// queues are queues by key.
type queues[K comparable] map[K]*queue

func (qs queues[K]) add(key K, i int32) {
	q := qs[key]
	if q == nil {
		q = &queue{}
		qs[key] = q
	}
	q.list = append(q.list, i)
}

func newMatcher(s *Script) (*matcher, error) {
	m := &matcher{script: s, queues: queues[uint64]{}, methods: map[string][]int32{}, used: make([]bool, len(s.Messages))}
	for i := range s.Messages {
		msg := &s.Messages[i]
		if msg.Sender != FromClient || msg.Kind.Response() {
			continue
		}
		key := msg.key
		if key == 0 {
			if err := s.scan(int32(i), func(found *jsonrpc.Message, body []byte) { key = keyOfMessage(msg, found, body) }); err != nil {
				return nil, err
			}
		}
		m.queues.add(key, int32(i))
		if msg.Kind == jsonrpc.Request {
			m.methods[msg.Method] = append(m.methods[msg.Method], int32(i))
		}
	}
	for i := range s.Steps {
		if st := &s.Steps[i]; st.Kind == FromClient && st.Msgs == 0 {
			t, err := s.read(int32(i))
			if err != nil {
				return nil, err
			}
			m.queues.add(keyOfText(t.raw), -int32(i)-2) // below -1: a step
		}
	}
	return m, nil
}

// scanMessages calls emit with the messages of a text as a connBuilder counts them.
func scanMessages(body []byte, emit func(*jsonrpc.Message)) jsonrpc.Text {
	return jsonrpc.Scan(body, func(m *jsonrpc.Message) {
		if m.Kind != jsonrpc.Invalid {
			emit(m)
		}
	})
}

// next returns the first recorded message with a key that was not used, -1 where
// there is none. known says that there was one at all.
func (m *matcher) next(key uint64) (at int32, known bool) {
	q := m.queues[key]
	if q == nil {
		return -1, false
	}
	if q.next == len(q.list) {
		return -1, true
	}
	at = q.list[q.next]
	q.next++
	return at, true
}

// latest returns the last recorded message with a key that has an answer, else the
// last one.
func (m *matcher) latest(key uint64, answered bool) int32 {
	q := m.queues[key]
	if q == nil {
		return -1
	}
	for _, at := range slices.Backward(q.list) {
		if at >= 0 && (!answered || m.script.Messages[at].Answer >= 0) {
			return at
		}
	}
	return -1
}

// maxCompared is how many recorded requests are compared in the search for the
// nearest one.
const maxCompared = 64

// nearest returns the recorded request that differs least from a live one: of the
// same era and method, and of the same tool, prompt or uri; -1 where there is none.
// Where there is no such target, any parameters will do. answered leaves out those
// without an answer.
func (m *matcher) nearest(live *Message, params []byte, answered bool) int32 {
	best, least := int32(-1), 0
	compared := 0
	for _, at := range m.methods[live.Method] {
		msg := &m.script.Messages[at]
		if msg.Modern != live.Modern || msg.Target != live.Target || answered && msg.Answer < 0 {
			continue
		}
		if compared++; compared > maxCompared {
			break
		}
		d := 2 * m.distance(at, params)
		if m.used[at] {
			d++
		}
		if best < 0 || d < least {
			best, least = at, d
		}
	}
	return best
}

// distance counts the differences of a recorded request's parameters.
func (m *matcher) distance(at int32, params []byte) int {
	const far = 1 << 20
	var recorded []byte
	if err := m.script.scan(at, func(found *jsonrpc.Message, body []byte) { recorded = found.Params.In(body) }); err != nil {
		return far
	}
	if len(recorded) == 0 {
		recorded = []byte("{}")
	}
	if len(params) == 0 {
		params = []byte("{}")
	}
	changes, err := diff.Compare(recorded, params, aside.Get()...)
	if err != nil {
		return far
	}
	return len(changes)
}

// aside are the parameters that are set aside, as paths.
var aside = lazy.Value[[]diff.Path]{New: func() []diff.Path {
	return diff.MustPaths("._meta", ".requestId", ".progressToken", ".inputResponses")
}}

// otherEra reports whether the recording has the method in the era that is not the
// message's.
func (m *matcher) otherEra(live *Message) bool {
	return slices.ContainsFunc(m.methods[live.Method], func(at int32) bool { return m.script.Messages[at].Modern != live.Modern })
}

// scan calls f with a message of the recording and the text of its step.
func (s *Script) scan(at int32, f func(m *jsonrpc.Message, body []byte)) error {
	step := s.Messages[at].Step
	t, err := s.read(step)
	if err != nil {
		return err
	}
	body := t.json()
	k := s.Steps[step].Msg
	scanMessages(body, func(m *jsonrpc.Message) {
		if k == at {
			f(m, body)
		}
		k++
	})
	return nil
}

var keySeed = lazy.Value[maphash.Seed]{New: maphash.MakeSeed}

// maxNesting is how deep parameters are looked into; below it they are compared as
// they are written.
const maxNesting = 64

// keyOfMessage is what a client's request or notification is matched by: its era,
// its method, and its parameters without what is the client's to choose. whole is
// the text that m's spans are places in, nil where it is not at hand; then the key
// is 0.
func keyOfMessage(msg *Message, m *jsonrpc.Message, whole []byte) uint64 {
	if whole == nil {
		return 0
	}
	h := mix(maphash.String(keySeed.Get(), msg.Method), uint64(msg.Kind))
	if msg.Modern {
		h = mix(h, 1)
	}
	if params := m.Params.In(whole); params != nil {
		h = mix(h, paramsHash(params))
	} else {
		h = mix(h, emptyParams.Get())
	}
	return h | 1
}

// keyOfText is what a line that is not a message is matched by.
func keyOfText(line []byte) uint64 {
	return mix(maphash.Bytes(keySeed.Get(), bytes.TrimSpace(line)), 't') | 1
}

// setAside are the parameters that do not count: the client chose them, or answers
// with them.
var setAside = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"_meta": true, "requestId": true, "progressToken": true, "inputResponses": true}
}}

var emptyParams = lazy.Value[uint64]{New: func() uint64 { return paramsHash([]byte("{}")) }}

// paramsHash is equal for parameters that mean the same. Text that is not JSON has
// the hash of its bytes.
func paramsHash(params []byte) uint64 {
	if !json.Valid(params) {
		return maphash.Bytes(keySeed.Get(), params)
	}
	return valueHash(bytes.TrimSpace(params), 0)
}

// valueHash is the hash of one value. The order of members makes no difference, as
// their hashes are added.
func valueHash(text []byte, depth int) uint64 {
	sum := uint64(0)
	switch kind := text[0]; {
	case kind == '{' && depth < maxNesting:
		for key, value := range lex.Members(text) {
			if name := lex.Unquote(key); depth > 0 || !setAside.Get()[name] {
				sum += mix(maphash.String(keySeed.Get(), name), valueHash(value, depth+1))
			}
		}
	case kind == '[' && depth < maxNesting:
		for _, item := range lex.Items(text) {
			sum = mix(sum, valueHash(item, depth+1))
		}
	case kind == '"':
		sum = maphash.String(keySeed.Get(), lex.Unquote(text))
	case kind == '-' || kind >= '0' && kind <= '9':
		// Numbers that a float holds exactly are equal however they are written;
		// longer ones may be ids.
		sum = maphash.Bytes(keySeed.Get(), text)
		if f, err := strconv.ParseFloat(string(text), 64); err == nil && len(text) <= 15 && (f != 0 || !bytes.ContainsAny(text, "123456789eE")) {
			sum = maphash.Comparable(keySeed.Get(), f+0)
		}
		return mix(sum, '0')
	default:
		sum = maphash.Bytes(keySeed.Get(), text)
	}
	return mix(sum, uint64(text[0]))
}

// mix joins two hashes; their order counts.
func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	a ^= a >> 32
	a *= 0xd6e8feb86659fd93
	return a ^ a>>29
}
