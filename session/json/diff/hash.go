package diff

import (
	"hash/maphash"

	"wiretea/session/json/lex"
	"wiretea/session/lazy"
)

var seed = lazy.Value[maphash.Seed]{New: maphash.MakeSeed}

// identities are the members by which objects in a list are told apart, the most
// telling first: [Vn] schema Tool, Prompt, Resource, ResourceTemplate, and what
// servers use in their own data.
var identities = []string{"name", "uri", "uriTemplate", "id", "key", "taskId"}

// scalarHash is the hash of a string, number, boolean or null.
func scalarHash(n *node) uint64 {
	switch n.kind {
	case '"':
		return mix('"', maphash.String(seed.Get(), lex.Unquote(n.raw)))
	case '0':
		return mix('0', maphash.Bytes(seed.Get(), lex.Number(n.raw)))
	}
	return mix(uint64(n.kind), 0)
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
		sum += mix(maphash.String(seed.Get(), kid.key), kid.hash)
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

// Digest returns a hash of what a text means: within one process it is equal for
// texts between which Compare, given the same patterns, finds no difference, but
// for a pattern that matches an element of a list that only one of them has.
func Digest(text []byte, ignore ...Path) (uint64, error) {
	root, err := parse(text, ignore)
	if err != nil {
		return 0, err
	}
	return root.counts(), nil
}
