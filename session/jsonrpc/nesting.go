package jsonrpc

// nesting is the stack of open arrays and objects: one bit each.
type nesting struct {
	depth   int
	deepest int
	kinds   uint64   // kinds are the innermost up to 64, the last one in bit 0: 1 = object.
	outer   []uint64 // outer are the full words around them.
}

// maxKept is how many words a Scanner keeps for its next text.
const maxKept = 1 << 10

func (n *nesting) reset() {
	if cap(n.outer) > maxKept {
		n.outer = nil
	}
	n.depth, n.deepest, n.kinds, n.outer = 0, 0, 0, n.outer[:0]
}

// push enters an array (0) or object (1).
func (n *nesting) push(kind uint64) {
	if n.depth&63 == 0 && n.depth > 0 {
		n.outer = append(n.outer, n.kinds)
	}
	n.kinds = n.kinds<<1 | kind
	n.depth++
	n.deepest = max(n.deepest, n.depth)
}

// pop leaves the innermost one.
func (n *nesting) pop() {
	n.depth--
	n.kinds >>= 1
	if n.depth&63 == 0 && n.depth > 0 {
		last := len(n.outer) - 1
		n.kinds, n.outer = n.outer[last], n.outer[:last]
	}
}

// inObject reports whether the innermost one is an object.
func (n *nesting) inObject() bool { return n.kinds&1 != 0 }
