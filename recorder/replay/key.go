package replay

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"wiretea/session/jsonrpc"
)

var keySeed = maphash.MakeSeed()

// maxNesting is how deep parameters are looked into; below it they are compared as
// they are written.
const maxNesting = 512

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

var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// paramsHash is equal for parameters that mean the same. Text that is no JSON has
// the hash of its bytes.
func paramsHash(params []byte) uint64 {
	dec := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(dec)
	dec.Reset(bytes.NewReader(params), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	h, err := valueHash(dec, 0)
	if err != nil {
		return maphash.Bytes(keySeed, params)
	}
	return h
}

// valueHash reads one value. The order of members makes no difference, as their
// hashes are added.
func valueHash(dec *jsontext.Decoder, depth int) (uint64, error) {
	kind := dec.PeekKind()
	if kind != '{' && kind != '[' || depth == maxNesting {
		raw, err := dec.ReadValue()
		return scalarHash(kind, raw), err
	}
	if _, err := dec.ReadToken(); err != nil {
		return 0, err
	}
	sum := uint64(0)
	for end := kind + 2; dec.PeekKind() != end; {
		if kind == '[' {
			h, err := valueHash(dec, depth+1)
			if err != nil {
				return 0, err
			}
			sum = mix(sum, h)
			continue
		}
		name, err := dec.ReadToken()
		if err != nil {
			return 0, err
		}
		if key := name.String(); depth > 0 || !setAside[key] {
			h, err := valueHash(dec, depth+1)
			if err != nil {
				return 0, err
			}
			sum += mix(maphash.String(keySeed, key), h)
		} else if err := dec.SkipValue(); err != nil {
			return 0, err
		}
	}
	_, err := dec.ReadToken()
	return mix(sum, uint64(kind)), err
}

func scalarHash(kind jsontext.Kind, raw []byte) uint64 {
	switch kind {
	case '"':
		if bytes.IndexByte(raw, '\\') >= 0 {
			if plain, err := jsontext.AppendUnquote(nil, raw); err == nil {
				return mix(maphash.Bytes(keySeed, plain), '"')
			}
		}
		if len(raw) > 1 {
			raw = raw[1 : len(raw)-1]
		}
		return mix(maphash.Bytes(keySeed, raw), '"')
	case '0':
		// Numbers that a float holds exactly are equal however they are written;
		// longer ones may be ids.
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && len(raw) <= 15 && (f != 0 || !bytes.ContainsAny(raw, "123456789eE")) {
			return mix(maphash.Comparable(keySeed, f+0), '0')
		}
	}
	return mix(maphash.Bytes(keySeed, raw), uint64(kind))
}

// mix joins two hashes; their order counts.
func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	a ^= a >> 32
	a *= 0xd6e8feb86659fd93
	return a ^ a>>29
}
