package recorder

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// sealChunk is how many bytes of a payload get one tag.
const sealChunk = 64 << 10

// A seal is a keyed checksum of an index: HMAC-SHA256 of its head and of the GMAC tags of its
// payload's chunks. GMAC takes a quarter of the time of SHA-256, and with the index of
// 1,000,000 frames the seal decides when the first screen is there. The tags leave the seal only
// within the HMAC, so that chunks of different files may have the same nonce, their number.
type seal struct {
	mac   hash.Hash
	tags  cipher.AEAD
	part  []byte // part is the beginning of a chunk.
	count uint64 // count is how many chunks were sealed.
}

// newSeal returns a seal of a head.
func newSeal(key, head []byte) *seal {
	own := hmac.New(sha256.New, key)
	own.Write([]byte("tags of an index"))
	block, err := aes.NewCipher(own.Sum(nil))
	if err != nil {
		panic(err) // A sum of 32 bytes is a key of AES-256.
	}
	tags, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes.
	}
	s := &seal{mac: hmac.New(sha256.New, key), tags: tags}
	s.mac.Write(head)
	return s
}

// Write seals more of the payload. It never fails.
func (s *seal) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(s.part) == 0 && len(p) >= sealChunk {
			s.tag(p[:sealChunk])
			p = p[sealChunk:]
			continue
		}
		fits := min(len(p), sealChunk-len(s.part))
		s.part, p = append(s.part, p[:fits]...), p[fits:]
		if len(s.part) == sealChunk {
			s.tag(s.part)
			s.part = s.part[:0]
		}
	}
	return n, nil
}

func (s *seal) tag(chunk []byte) {
	var nonce [12]byte
	binary.LittleEndian.PutUint64(nonce[:], s.count)
	s.count++
	s.mac.Write(s.tags.Seal(nil, nonce[:], nil, chunk))
}

// sum returns the seal of all so far. Nothing can be sealed after a payload that does not end
// at a chunk's end.
func (s *seal) sum() []byte {
	if len(s.part) > 0 {
		s.tag(s.part)
		s.part = s.part[:0]
	}
	return s.mac.Sum(nil)
}
