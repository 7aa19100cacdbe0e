package session

import (
	"slices"
	"strconv"
)

// An IDRef contains a short id. Its top byte says how:
//
//	0        no id
//	1        the decimal integer in the lower 56 bits
//	0x10+n   n bytes of text, n ≤ 7
//	0x20     text of idTexts: 16 bits of length, 40 bits of offset
//	0x30+n   the first n bytes of a text that idTexts had no room for
const (
	idInteger = 1
	idInline  = 0x10
	idStored  = 0x20
	idCut     = 0x30
)

// idTexts holds the ids that do not fit into an IDRef, in blocks that never
// change once written, so that snapshots share them.
type idTexts struct {
	blocks [][]byte
}

const (
	idBlock  = 64 << 10
	idBlocks = 512 // idBlocks bounds the texts to 32 MiB.
)

// ref returns the reference for an id's raw text of at most MaxCapture bytes,
// and stores the text if necessary.
func (t *idTexts) ref(raw []byte) IDRef {
	if len(raw) == 0 {
		return 0
	}
	if n, ok := canonicalInt(raw); ok {
		return idInteger<<56 | IDRef(n)
	}
	if len(raw) <= 7 {
		return inlineID(idInline, raw)
	}
	if len(t.blocks) == 0 || len(t.blocks[len(t.blocks)-1])+len(raw) > idBlock {
		if len(t.blocks) == idBlocks || len(raw) > idBlock {
			return inlineID(idCut, raw[:7])
		}
		t.blocks = append(t.blocks, make([]byte, 0, idBlock))
	}
	b := len(t.blocks) - 1
	off := len(t.blocks[b])
	t.blocks[b] = append(t.blocks[b], raw...)
	return idStored<<56 | IDRef(len(raw))<<40 | IDRef(b*idBlock+off)
}

// text returns the raw text of an id. It is total: an invalid reference is
// empty.
func (t idTexts) text(r IDRef) string {
	switch tag := uint8(r >> 56); {
	case tag == idInteger:
		return strconv.FormatUint(uint64(r&(1<<56-1)), 10)
	case tag > idInline && tag <= idInline+7:
		return inlineText(r, int(tag-idInline))
	case tag == idStored:
		n, off := int(r>>40&0xffff), int(r&(1<<40-1))
		b, off := off/idBlock, off%idBlock
		if b < len(t.blocks) && off+n <= len(t.blocks[b]) {
			return string(t.blocks[b][off : off+n])
		}
	case tag > idCut && tag <= idCut+7:
		return inlineText(r, int(tag-idCut)) + "…"
	}
	return ""
}

// published returns the texts for a snapshot. The last block's slice header may
// still grow, so the list is copied.
func (t *idTexts) published() idTexts {
	return idTexts{blocks: append([][]byte(nil), t.blocks...)}
}

func inlineID(tag IDRef, raw []byte) IDRef {
	r := (tag + IDRef(len(raw))) << 56
	for i, c := range raw {
		r |= IDRef(c) << (8 * i)
	}
	return r
}

func inlineText(r IDRef, n int) string {
	var b [7]byte
	for i := range n {
		b[i] = byte(r >> (8 * i))
	}
	return string(b[:n])
}

// canonicalInt returns the value of a decimal integer below 2^56 that is written
// as strconv would write it; false for any other text.
func canonicalInt(raw []byte) (uint64, bool) {
	if len(raw) == 0 || len(raw) > 16 || raw[0] == '0' && len(raw) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range raw {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, n < 1<<56
}

// An IDMatcher looks for ids in rows, without making the text of each row's id.
type IDMatcher struct {
	raws []string
	refs []IDRef // refs are the references of those raws that need no stored text.
}

// MatchIDs returns the matcher for the raw texts of ids.
func MatchIDs(raws ...string) IDMatcher {
	m := IDMatcher{raws: raws}
	for _, raw := range raws {
		if _, integer := canonicalInt([]byte(raw)); integer || len(raw) <= 7 {
			m.refs = append(m.refs, new(idTexts).ref([]byte(raw)))
		}
	}
	return m
}

// Match reports whether a row of the snapshot with that id has one of them.
func (m IDMatcher) Match(s *Snapshot, id IDRef) bool {
	switch {
	case id == 0:
		return false
	case slices.Contains(m.refs, id):
		return true
	case id>>56 != idStored:
		return false
	}
	return slices.ContainsFunc(m.raws, func(raw string) bool {
		return int(id>>40&0xffff) == len(raw) && s.ids.text(id) == raw
	})
}
