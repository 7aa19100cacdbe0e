package session

import "strings"

// In a tee that speaks stdio to the client, on connection 1, and HTTP to the server, messages are
// decided on over HTTP. Connection 1 has the same messages: what was done to them there explains
// what is seen here.

// A cutting is what a fault has done to a connection itself.
type cutting uint8

const (
	notCut       cutting = iota
	cutLater             // cutLater: what the peers do afterwards may be a consequence, but not what one of their messages says.
	cutHandshake         // cutHandshake: it was before the revision was agreed on, by which all messages are judged, or within that.
)

// sever notes that a fault has acted on the connection. One that only writes slowly changes
// nothing that was agreed on.
func (c *conn) sever(fault string) {
	slow := strings.HasPrefix(fault, "bandwidth(")
	if c.cut = max(c.cut, cutLater); !slow && (c.VersionText == "" || c.met) {
		c.cut = cutHandshake
	}
}

// bridged reports whether the session is one of such a tee.
func (a *Analyzer) bridged() bool {
	return a.header != nil && a.header.Mode == "tee" && a.header.Trans == "http"
}

// maxMirrored is how many requests are remembered.
const maxMirrored = 4096

// mirror notes that a client's request, or its response (acted), was acted on over HTTP, or takes
// that note for the same request on connection 1.
func (a *Analyzer) mirror(c *conn, x *exchange, acted bool) {
	switch {
	case x.Sender != C2S || !a.bridged():
	case c.ID == 1 && a.mirrored[x.hash]:
		delete(a.mirrored, x.hash)
		x.Acted = true
		a.store.edit(x.Req).Flags |= FlagDecided
	case c.ID != 1 && (acted || x.Acted || c.cut != notCut):
		if a.mirrored == nil || len(a.mirrored) >= maxMirrored {
			a.mirrored = map[uint64]bool{}
		}
		a.mirrored[x.hash] = true
	}
}
