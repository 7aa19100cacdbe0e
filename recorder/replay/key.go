package replay

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strconv"
	"sync"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
)

var keySeed = maphash.MakeSeed()

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
	h := mix(maphash.String(keySeed, msg.Method), uint64(msg.Kind))
	if msg.Modern {
		h = mix(h, 1)
	}
	if params := m.Params.In(whole); params != nil {
		h = mix(h, paramsHash(params))
	} else {
		h = mix(h, emptyParams())
	}
	return h | 1
}

// keyOfText is what a line that is not a message is matched by.
func keyOfText(line []byte) uint64 {
	return mix(maphash.Bytes(keySeed, bytes.TrimSpace(line)), 't') | 1
}

// setAside are the parameters that do not count: the client chose them, or answers
// with them.
var setAside = map[string]bool{"_meta": true, "requestId": true, "progressToken": true, "inputResponses": true}

var emptyParams = sync.OnceValue(func() uint64 { return paramsHash([]byte("{}")) })

// paramsHash is equal for parameters that mean the same. Text that is not JSON has
// the hash of its bytes.
func paramsHash(params []byte) uint64 {
	if !json.Valid(params) {
		return maphash.Bytes(keySeed, params)
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
			if name := lex.Unquote(key); depth > 0 || !setAside[name] {
				sum += mix(maphash.String(keySeed, name), valueHash(value, depth+1))
			}
		}
	case kind == '[' && depth < maxNesting:
		for _, item := range lex.Items(text) {
			sum = mix(sum, valueHash(item, depth+1))
		}
	case kind == '"':
		sum = maphash.String(keySeed, lex.Unquote(text))
	case kind == '-' || kind >= '0' && kind <= '9':
		// Numbers that a float holds exactly are equal however they are written;
		// longer ones may be ids.
		sum = maphash.Bytes(keySeed, text)
		if f, err := strconv.ParseFloat(string(text), 64); err == nil && len(text) <= 15 && (f != 0 || !bytes.ContainsAny(text, "123456789eE")) {
			sum = maphash.Comparable(keySeed, f+0)
		}
		return mix(sum, '0')
	default:
		sum = maphash.Bytes(keySeed, text)
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
