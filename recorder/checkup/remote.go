package checkup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
)

// greeted tells the doctor of a handshake.
func (c *Checkup) greeted(peer *client.Client, took time.Duration, failed error) {
	c.failure = failed
	switch {
	case c.doctor == nil:
	case peer == nil:
		c.doctor.Greeted(nil, took, failed)
	default:
		server := peer.Server()
		c.server = server
		c.doctor.Greeted(&server, took, nil)
		if conn, ok := c.run.Conn().(*http.Conn); ok {
			c.mode = conn.Mode()
		}
	}
}

// unspoken tells the doctor that the server does not speak an era.
func (c *Checkup) unspoken(era client.EraChoice) {
	if c.doctor != nil {
		c.doctor.Unspoken(era)
	}
}

// streamWait is how long the answer to the request for the GET stream is waited for.
const streamWait = time.Second

// endWait is how long a stream may stay open behind its response before a rule objects, and
// a little for its finding.
const endWait = 5*time.Second + 200*time.Millisecond

// awaitStreams waits for what is judged too: what the server answers to the request for its
// GET stream, and whether it ends the streams that have brought their responses.
func (c *Checkup) awaitStreams(ctx context.Context) {
	if conn, ok := c.run.Conn().(*http.Conn); ok {
		conn.AwaitStream(ctx, streamWait)
		conn.AwaitEnds(ctx, endWait)
	}
}

// another begins a connection for the doctor, in the place of the latest one; nil where
// there is none to be had.
func (c *Checkup) another(ctx context.Context) *http.Conn {
	c.hangUp(ctx)
	conn, err := c.run.Start()
	if err != nil {
		return nil
	}
	plain, _ := conn.(*http.Conn)
	return plain
}

// examine has the doctor probe a server at a URL.
func (c *Checkup) examine(ctx context.Context) {
	if c.doctor == nil || ctx.Err() != nil {
		return
	}
	if conn := c.another(ctx); conn != nil {
		c.doctor.Probe(ctx, conn, c.mode, c.server)
	}
}

// refused has the doctor look closer where HTTP refused the handshake, and puts what it
// finds, as the endpoint elsewhere, into the finding.
func (c *Checkup) refused(ctx context.Context) {
	var refused *client.HTTPError
	if why, hint := c.doctor.Scheme(ctx, c.failure); why != "" {
		f := c.found(verdict.NoHandshake.ID, "no handshake: "+why)
		f.Hint, f.Key, f.Fault = hint, verdict.Cause, session.Nobody
		c.own = c.own[len(c.own)-1:] // The other ones follow from it.
		return
	}
	if !errors.As(c.failure, &refused) {
		return
	}
	conn := c.another(ctx)
	if conn == nil {
		return
	}
	at := c.doctor.Refused(ctx, conn, c.failure)
	if at == nil {
		return
	}
	for i := range c.own {
		if f := &c.own[i]; f.Rule == verdict.NoHandshake.ID {
			f.Hint = "an MCP server answers at " + http.Place(at)
		}
	}
}

// recorded has the doctor read the recording, which is complete.
func (c *Checkup) recorded() {
	if c.doctor == nil {
		return
	}
	if err := c.doctor.Recorded(c.run.Log(), c.Probed); err != nil {
		fmt.Fprintf(c.cfg.Warn, "wiretea: %v\n", err)
	}
}
