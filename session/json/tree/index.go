package tree

// An Index finds members of objects that are large. The zero value is not ready to
// use; it belongs to one goroutine.
type Index map[*Node]map[string]*Node

// Get is Node.Get, with an index for objects that are large: many references may
// lead into one.
func (x Index) Get(n *Node, key string) *Node {
	if n == nil || len(n.Members) < 32 {
		return n.Get(key)
	}
	index := x[n]
	if index == nil {
		index = make(map[string]*Node, len(n.Members))
		for _, m := range n.Members {
			index[m.Key] = m.Val
		}
		x[n] = index
	}
	return index[key]
}
