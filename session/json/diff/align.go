package diff

// A pair is two values that stand for each other; one is nil where there is none.
type pair struct {
	old, new *node
	step     step
}

// maxCells bounds what the alignments of two texts cost altogether, in comparisons;
// beyond it elements stand for each other by their place.
const maxCells = 64 << 20

// maxTable bounds one alignment's table, of 4 bytes each.
const maxTable = 4 << 20

// An aligner pairs what two containers hold.
type aligner struct{ cells int }

// align finds which members or elements of two containers of one kind stand for
// each other, in an order that follows both.
func (al *aligner) align(a, b *node) []pair {
	if a.kind == '{' {
		return alignMembers(a.kids, b.kids)
	}
	pairs := al.elements(a.kids, b.kids)
	i, j := 0, 0
	for k := range pairs {
		p := &pairs[k]
		p.step = step{index: j}
		if p.new == nil {
			p.step.index = i
		}
		if p.old != nil {
			i++
		}
		if p.new != nil {
			j++
		}
	}
	return pairs
}

// alignMembers pairs members by name; of those with the same name, the first with
// the first. What is new is behind its neighbour in the new text.
func alignMembers(old, new []*node) []pair {
	byName := make(map[string][]int, len(new))
	for j, kid := range new {
		byName[kid.key] = append(byName[kid.key], j)
	}
	partner := make([]*node, len(new))
	var pairs []pair
	taken := make(map[*node]*node, len(old))
	for _, kid := range old {
		if at := byName[kid.key]; len(at) > 0 {
			partner[at[0]], taken[kid] = kid, new[at[0]]
			byName[kid.key] = at[1:]
		}
	}
	j := 0
	added := func() {
		for ; j < len(new) && partner[j] == nil; j++ {
			pairs = append(pairs, pair{nil, new[j], step{key: new[j].key, member: true}})
		}
	}
	added()
	for _, kid := range old {
		other := taken[kid]
		pairs = append(pairs, pair{kid, other, step{key: kid.key, member: true}})
		if other != nil && j < len(new) && new[j] == other {
			j++
			added()
		}
	}
	for ; j < len(new); j++ {
		if partner[j] == nil {
			pairs = append(pairs, pair{nil, new[j], step{key: new[j].key, member: true}})
		}
	}
	return pairs
}

// elements pairs equal elements first, then, in the gaps between them, those
// with the same name, then what is left by its place.
func (al *aligner) elements(old, new []*node) []pair {
	return al.anchored(old, new, same, func(old, new []*node) []pair {
		return al.anchored(old, new, namesake, inPlace)
	})
}

func namesake(a, b *node) bool { return a.identity != 0 && a.identity == b.identity }

// inPlace pairs what is at the same place; objects with different names do not
// stand for each other.
func inPlace(old, new []*node) []pair {
	var pairs []pair
	for i := range max(len(old), len(new)) {
		switch {
		case i >= len(old):
			pairs = append(pairs, pair{new: new[i]})
		case i >= len(new):
			pairs = append(pairs, pair{old: old[i]})
		case old[i].identity != new[i].identity:
			pairs = append(pairs, pair{old: old[i]}, pair{new: new[i]})
		default:
			pairs = append(pairs, pair{old: old[i], new: new[i]})
		}
	}
	return pairs
}

// anchored pairs the longest sequence of elements that are alike, and leaves what
// lies between them to between.
func (al *aligner) anchored(old, new []*node, alike func(a, b *node) bool, between func(old, new []*node) []pair) []pair {
	var pairs []pair
	head := 0
	for head < len(old) && head < len(new) && alike(old[head], new[head]) {
		pairs = append(pairs, pair{old: old[head], new: new[head]})
		head++
	}
	old, new = old[head:], new[head:]
	tail := 0
	for tail < len(old) && tail < len(new) && alike(old[len(old)-1-tail], new[len(new)-1-tail]) {
		tail++
	}
	ends := [2][]*node{old[len(old)-tail:], new[len(new)-tail:]}
	old, new = old[:len(old)-tail], new[:len(new)-tail]
	if cells := len(old) * len(new); al.cells+cells > maxCells || cells > maxTable {
		pairs = append(pairs, between(old, new)...)
	} else {
		al.cells += cells
		i, j := 0, 0
		for _, m := range longest(old, new, alike) {
			pairs = append(pairs, between(old[i:m[0]], new[j:m[1]])...)
			pairs = append(pairs, pair{old: old[m[0]], new: new[m[1]]})
			i, j = m[0]+1, m[1]+1
		}
		pairs = append(pairs, between(old[i:], new[j:])...)
	}
	for k := range tail {
		pairs = append(pairs, pair{old: ends[0][k], new: ends[1][k]})
	}
	return pairs
}

// longest returns the longest common subsequence as pairs of places.
func longest(old, new []*node, alike func(a, b *node) bool) [][2]int {
	if len(old) == 0 || len(new) == 0 {
		return nil
	}
	width := len(new) + 1
	table := make([]int32, (len(old)+1)*width)
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(new) - 1; j >= 0; j-- {
			best := max(table[(i+1)*width+j], table[i*width+j+1])
			if alike(old[i], new[j]) {
				best = max(best, table[(i+1)*width+j+1]+1)
			}
			table[i*width+j] = best
		}
	}
	var found [][2]int
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch here := table[i*width+j]; {
		case alike(old[i], new[j]) && here == table[(i+1)*width+j+1]+1:
			found = append(found, [2]int{i, j})
			i++
			j++
		case here == table[(i+1)*width+j]:
			i++
		default:
			j++
		}
	}
	return found
}
