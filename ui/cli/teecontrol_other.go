//go:build !unix

package cli

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/transport"
)

// A teeControl does nothing: there is no socket here.
type teeControl struct{}

func newTeeControl(*transport.Tee) *teeControl { return &teeControl{} }

func (c *teeControl) listen(*recordOptions, *recorder.Sink, *session.Header) string { return "" }

func (c *teeControl) begin() {}
func (c *teeControl) sweep() {}
func (c *teeControl) end()   {}
