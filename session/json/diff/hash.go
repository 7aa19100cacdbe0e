package diff

import (
	"bytes"
	"hash/maphash"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

var seed = maphash.MakeSeed()

// identities are the members by which objects in a list are told apart, the most
// telling first: [Vn] schema Tool, Prompt, Resource, ResourceTemplate, and what
// servers use in their own data.
var identities = []string{"name", "uri", "uriTemplate", "id", "key", "taskId"}

// scalarHash is the hash of a string, number, boolean or null.
func scalarHash(n *node) uint64 {
	switch n.kind {
	case '"':
		s, err := jsontext.AppendUnquote(nil, n.raw)
		if err != nil {
			s = n.raw // not UTF-8: compared as it is written
		}
		return mix('"', maphash.Bytes(seed, s))
	case '0':
		return mix('0', maphash.Bytes(seed, number(n.raw)))
	}
	return mix(uint64(n.kind), 0)
}

// number is the one way to write a number: its digits without zeros at either end,
// and the power of ten of the last one. It takes no value of the exponent as too
// large.
func number(raw []byte) []byte {
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(raw), []byte{'e'})
	negative := bytes.HasPrefix(mantissa, []byte{'-'})
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte{'-'}), []byte{'.'})
	digits := append(bytes.Clone(whole), fraction...)
	power := -len(fraction)
	trimmed := bytes.TrimRight(digits, "0")
	power += len(digits) - len(trimmed)
	if trimmed = bytes.TrimLeft(trimmed, "0"); len(trimmed) == 0 {
		return []byte{'0'}
	}
	e := 0
	if len(exponent) > 0 {
		var err error
		if e, err = strconv.Atoi(string(exponent)); err != nil {
			return raw // beyond any number: equal only as it is written
		}
	}
	out := strconv.AppendInt(append(trimmed, 'e'), int64(power)+int64(e), 10)
	if negative {
		out = append(out, '-')
	}
	return out
}

// seal hashes an object or array whose members are complete.
func (n *node) seal() {
	if n.kind == '[' {
		h := uint64(len(n.kids))
		for _, kid := range n.kids {
			h = mix(h, kid.counts())
		}
		n.hash = mix('[', h)
		return
	}
	// Addition makes the order of members of no account.
	sum, named := uint64(0), len(identities)
	for _, kid := range n.kids {
		if kid.ignored {
			continue
		}
		sum += mix(maphash.String(seed, kid.key), kid.hash)
		if kid.kind == '"' || kid.kind == '0' {
			for rank := range named {
				if identities[rank] == kid.key {
					named, n.identity = rank, mix(uint64(rank)+1, kid.hash)|1
					break
				}
			}
		}
	}
	n.hash = mix('{', sum)
}

// counts is the hash as far as it counts.
func (n *node) counts() uint64 {
	if n.ignored {
		return 0
	}
	return n.hash
}

// mix joins two hashes; their order counts.
func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	a ^= a >> 32
	a *= 0xd6e8feb86659fd93
	a ^= a >> 29
	return a
}
