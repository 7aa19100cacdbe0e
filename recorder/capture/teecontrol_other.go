//go:build !unix

package capture

import (
	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// A socket does nothing here: sessions have none.
type socket struct{ interceptor *path.Interceptor }

func (*socket) listen(string, *recorder.Sink, *session.Header) string { return "" }
func (*socket) end()                                                  {}

// A teeControl does nothing: there is no socket here.
type teeControl struct{}

func newTeeControl(*transport.Tee, *path.Interceptor) *teeControl { return &teeControl{} }

func (*teeControl) listen(string, *recorder.Sink, *session.Header) string { return "" }

func (*teeControl) begin() {}
func (*teeControl) sweep() {}
func (*teeControl) end()   {}
