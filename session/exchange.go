package session

import (
	"hash/maphash"
	"slices"
	"strings"

	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// An exchange is an Exchange with the additional state for pairing. Completed
// ones are reused.
type exchange struct {
	Exchange
	hash     uint64    // hash is the hash of its id.
	token    uint64    // token is the hash of its progress token, 0 = none.
	clash    *clash    // clash is shared by those that wait with the same id, nil = there is one;
	older    *exchange // older and newer are its neighbours there.
	newer    *exchange
	trip     *Trip // trip is the round trip of its request; nil over stdio.
	unsure   bool  // unsure: its response may be in missing bytes.
	stats    *methodStat
	table    *mcp.Method
	name     uint32 // name and target are interned.
	target   uint32
	since    int64 // since is when its timeout began: ReqT, or later if a person was waited for.
	deadline *deadline
	before   *exchange
	after    *exchange
}

// A clash is a set of exchanges that wait with one id.
type clash struct{ oldest *exchange }

// of returns the exchange of a round trip, else the oldest.
func (c *clash) of(t *Trip) *exchange {
	for x := c.oldest; x != nil && t != nil; x = x.newer {
		if x.trip == t {
			return x
		}
	}
	return c.oldest
}

// join adds x, as the newest, to those that wait with the id of older.
func (x *exchange) join(older *exchange) {
	if older.clash == nil {
		older.clash = &clash{oldest: older}
	}
	x.clash, x.older, older.newer = older.clash, older, x
}

// part removes x from those that wait with its id.
func (x *exchange) part() {
	if x.clash == nil {
		return
	}
	if x.clash.oldest == x {
		x.clash.oldest = x.newer
	}
	if x.older != nil {
		x.older.newer = x.newer
	}
	if x.newer != nil {
		x.newer.older = x.older
	}
	x.clash, x.older, x.newer = nil, nil, nil
}

// Bounds for the open requests of one side. Beyond them the oldest ones are
// known only by their rows.
const (
	maxWaiting   = 64 << 10
	maxCancelled = 1024
)

// A peer is one sender of requests in a connection.
type peer struct {
	ids  idTable
	live []*exchange // live are those in memory, by place; nil for a free place.
	free []uint32    // free are the free places.

	open   []*Exchange // open are those that wait, oldest first.
	room   []*Exchange // room is the memory of open.
	tokens map[uint64]*exchange

	cancelled []*exchange // cancelled are those stored after their cancellation, oldest first.
}

// put gives x a place.
func (p *peer) put(x *exchange) {
	if n := len(p.free); n > 0 {
		x.at = p.free[n-1]
		p.free = p.free[:n-1]
		p.live[x.at] = x
		return
	}
	x.at = uint32(len(p.live))
	p.live = append(p.live, x)
}

// remove frees the place of x.
func (p *peer) remove(x *exchange) {
	p.live[x.at] = nil
	p.free = append(p.free, x.at)
}

// of returns the exchange of an entry, nil if it is not in memory.
func (p *peer) of(e *idEntry) *exchange {
	if e.at >= uint32(len(p.live)) {
		return nil
	}
	return p.live[e.at]
}

// wait appends x to those that wait.
func (p *peer) wait(x *exchange) {
	if len(p.open) == cap(p.open) && len(p.open) <= len(p.room)/2 {
		p.open = p.room[:copy(p.room, p.open)] // There is room at the front.
	}
	grown := len(p.open) == cap(p.open)
	p.open = append(p.open, &x.Exchange)
	if grown {
		p.room = p.open[:cap(p.open)]
	}
}

// unwait removes x from those that wait. They are in the order of their rows,
// and usually x is the first.
func (p *peer) unwait(x *exchange) {
	i, _ := slices.BinarySearchFunc(p.open, x.Req, func(o *Exchange, req uint32) int {
		return int(int64(o.Req) - int64(req))
	})
	for i < len(p.open) && p.open[i] != &x.Exchange {
		i++
	}
	switch {
	case i == len(p.open):
	case i < len(p.open)/2:
		copy(p.open[1:], p.open[:i])
		p.open[0] = nil
		p.open = p.open[1:]
	default:
		p.open = slices.Delete(p.open, i, i+1)
	}
}

// waiting returns those that wait.
func (p *peer) waiting() []*exchange {
	var list []*exchange
	for _, x := range p.live {
		if x != nil && x.State == Pending {
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(x, y *exchange) int { return int(int64(x.Req) - int64(y.Req)) })
	return list
}

// loseRest marks the rows of those that wait and are not in memory.
func (p *peer) loseRest(a *Analyzer) {
	for e := range p.ids.all() {
		if e.at == idWaiting {
			a.store.edit(e.row).Flags |= FlagLost
			a.totals.Pending--
			a.totals.Lost++
		}
	}
}

// newExchange returns an empty exchange.
func (a *Analyzer) newExchange() *exchange {
	if n := len(a.spare); n > 0 {
		x := a.spare[n-1]
		a.spare = a.spare[:n-1]
		return x
	}
	return new(exchange)
}

// recycle returns x for reuse.
func (a *Analyzer) recycle(x *exchange) {
	*x = exchange{}
	a.spare = append(a.spare, x)
}

// textArena makes small strings from bytes, many in one allocation.
type textArena struct{ b strings.Builder }

const arenaSize = 4 << 10

func (t *textArena) text(p []byte) string {
	if len(p) > arenaSize/4 {
		return string(p)
	}
	if t.b.Cap()-t.b.Len() < len(p) {
		t.b.Reset()
		t.b.Grow(arenaSize)
	}
	from := t.b.Len()
	t.b.Write(p)
	return t.b.String()[from:]
}

var hashSeed = lazy.Value[maphash.Seed]{New: maphash.MakeSeed}

// The upper bits of a hash: digitsMark says that the text of the id is a number of at most
// maxDigits digits as JSON writes it, which the lower bits have; stringMark distinguishes "1" from 1.
const (
	digitsMark = 1 << 63
	stringMark = 1 << 62
)

// hashID returns the hash of an id: of its JSON type and its text, independent
// of escapes, because "\u00e9" is the same string as "é". It reports false for
// an id that cannot be paired.
func hashID(v *jsonrpc.Value) (uint64, bool) {
	var h uint64
	switch {
	case v.Type != jsonrpc.String && v.Type != jsonrpc.Number:
		return 0, false
	case !v.Whole():
		h = v.Hash &^ (digitsMark | stringMark)
	default:
		h = hashText(plain(v))
	}
	if v.Type == jsonrpc.String {
		h |= stringMark
	}
	return max(1, h), true
}

// maxDigits is how many digits of a number always fit below stringMark.
const maxDigits = 14

// hashText returns a hash without stringMark.
func hashText(text []byte) uint64 {
	n, number := uint64(0), len(text) > 0 && len(text) <= maxDigits && (text[0] != '0' || len(text) == 1)
	for _, c := range text {
		if !number || c < '0' || c > '9' {
			return maphash.Bytes(hashSeed.Get(), text) &^ (digitsMark | stringMark)
		}
		n = n*10 + uint64(c-'0')
	}
	return digitsMark | n
}

// otherType returns the hash of the id with the same text and the other type.
func otherType(h uint64) uint64 { return max(1, h^stringMark) }
