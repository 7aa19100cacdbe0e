//go:build !unix

package capture

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/control"
	"wiretea/session/transport"
)

// A door leads nowhere: there is no socket here.
type door struct{ interceptor *control.Interceptor }

func (*door) listen(string, *recorder.Sink, *session.Header) string { return "" }
func (*door) end()                                                  {}

// A teeControl does nothing: there is no socket here.
type teeControl struct{}

func newTeeControl(*transport.Tee, *control.Interceptor) *teeControl { return &teeControl{} }

func (*teeControl) listen(string, *recorder.Sink, *session.Header) string { return "" }

func (*teeControl) begin() {}
func (*teeControl) sweep() {}
func (*teeControl) end()   {}
