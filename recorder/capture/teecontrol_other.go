//go:build !unix

package capture

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/transport"
)

// A teeControl does nothing: there is no socket here.
type teeControl struct{}

func newTeeControl(*transport.Tee) *teeControl { return &teeControl{} }

func (c *teeControl) listen(string, *recorder.Sink, *session.Header) string { return "" }

func (c *teeControl) begin() {}
func (c *teeControl) sweep() {}
func (c *teeControl) end()   {}
