package compat

import (
	"strings"
	"time"

	"wiretea/session/mcp"
)

// A Client is a client implementation of the table.
type Client uint8

const (
	TypeScript1 Client = iota
	TypeScript2
	Go
	Python1
	Python2
	RMCP
	NumClients // NumClients counts the clients.
)

// source returns the source of the client, an empty one for an unknown client.
func (c Client) source() source {
	if c < NumClients {
		return table.Get().sources[c]
	}
	return source{name: "?", short: "?"}
}

// String returns the client's name as in findings and mcp.Clients: "Go SDK".
func (c Client) String() string { return c.source().name }

// clientOf returns the client of that name, NumClients for none.
func clientOf(name string) Client {
	c := Client(0)
	for c < NumClients && c.String() != name {
		c++
	}
	return c
}

// Label returns the name with the version in the table: "TypeScript SDK
// 1.32.2".
func (c Client) Label() string {
	name := c.String()
	if at := strings.LastIndexByte(name, ' '); at > 0 && strings.HasPrefix(c.Version(), name[at+1:]+".") {
		name = name[:at]
	}
	return strings.TrimSpace(name + " " + c.Version())
}

// Short returns a short name: "TS 1".
func (c Client) Short() string { return c.source().short }

// Version returns the version in the table: "1.8.0".
func (c Client) Version() string { return c.source().version }

// Timeout returns after how long it gives up a request; 0 = it has no timeout
// of its own.
func (c Client) Timeout() time.Duration {
	for i := range mcp.Clients() {
		if k := &mcp.Clients()[i]; k.Name == c.String() {
			return k.Timeout
		}
	}
	return 0
}

// An Outcome is a client's reaction to a frame, the worst last. The zero value
// means unknown.
type Outcome uint8

const (
	Unknown     Outcome = iota
	Accepts             // Accepts: it processes the frame.
	Skips               // Skips: it silently skips the frame.
	Reports             // Reports: it skips the frame, calls the program's error handler, and continues.
	Refuses             // Refuses: the request fails with an error; the connection continues.
	Hangs               // Hangs: the request stays open until its timeout; the connection continues.
	Disconnects         // Disconnects: the connection ends.
	numOutcomes
)

var outcomeWords = [numOutcomes]string{"not known", "accepts", "skips", "reports an error", "refuses", "hangs", "disconnects"}

// String returns the outcome's word in lower case.
func (o Outcome) String() string {
	if o < numOutcomes {
		return outcomeWords[o]
	}
	return "?"
}

// Breaks reports whether something fails that would work without the fault.
func (o Outcome) Breaks() bool { return o >= Refuses && o < numOutcomes }
