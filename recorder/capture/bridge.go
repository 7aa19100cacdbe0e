package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/jsonrpc"
	"wiretea/session/path"
	"wiretea/session/transport"
)

// A BridgeConfig describes a Bridge. Server and the streams must be set.
type BridgeConfig struct {
	Name   string       // Name is what the user calls the server; empty means that there is none.
	Server http.Options // Server says where it is; Key, Notice and After are set by the Bridge.
	In     io.ReadCloser
	Out    io.WriteCloser
	Notice func(text string) // Notice is told what the user should know, a line each.
	InPath InPath            // InPath decides on the messages between the bridge and the server.
	Record Record            // Record.File gets a number where it exists; None and Force do not apply.

	// NoControl lets nobody hold messages through the session's socket.
	NoControl bool
}

// A Bridge is a session between a real client over stdio and a server at a URL. Both
// sides are in the record: the client's is connection 1, those to the server follow.
//
//	client ⇄ relays ⇄ http.Conn ⇄ server
//
// What HTTP refuses is answered with an error, so that the client does not wait for it.
type Bridge struct {
	conn    *http.Conn
	s2c     *transport.Relay
	record  *sideRecord
	socket  socket
	unwatch context.CancelFunc // unwatch ends the watch of the policy.
}

// codeInternal is JSON-RPC's code for an internal error, here that of the way to the server.
const codeInternal = -32603

// StartBridge begins the session and its record.
func StartBridge(cfg BridgeConfig) (*Bridge, error) {
	hdr := session.Header{
		Name: cfg.Name, Tool: recorder.ToolName, SID: newSID(), T0: time.Now(), Mode: "tee", Trans: "http", URL: http.Place(cfg.Server.URL),
		PPID: os.Getppid(), Limits: cfg.InPath.limits(),
	}
	cfg.Server.Key, cfg.Server.Notice, cfg.Server.After = CredentialKey(), cfg.Notice, 1
	remote, err := http.New(cfg.Server)
	if err != nil {
		return nil, err
	}
	tap := transport.NewTap(hdr.T0, transport.TapConfig{Limit: teeMemory, Lasting: true, BatchDelay: teeNap, Patience: teePatience})
	b := &Bridge{}
	b.socket.interceptor = cfg.InPath.intercept(tap, &hdr, nil)
	if cfg.InPath.on() || !cfg.NoControl {
		remote.Judge(b.socket.interceptor)
	}
	b.conn = remote.Start(tap)
	b.conn.OnRefused(func(id string, err error) { b.conn.Give(refusal(id, err)) })
	note := b.socket.interceptor.Recording(cfg.Record.unrecorded(&hdr, false, func(err error) {
		if cfg.Notice != nil {
			cfg.Notice(NotRecorded(err))
		}
	}))
	b.record = recordBeside(tap, note, func() *recorder.Writer {
		sink := cfg.Record.openBeside(&hdr, note)
		if !cfg.NoControl {
			hdr.Sock = b.socket.listen(cfg.Record.Dir, sink, &hdr)
		}
		return recorder.NewWriter(sink, hdr, besideOptions(tap, note))
	})
	c2s := &transport.Relay{Tap: tap, Conn: 1, Stream: session.C2S, Src: cfg.In, Dst: clientEnd{serverInput{b.conn}, b.socket.interceptor}}
	b.s2c = &transport.Relay{Tap: tap, Conn: 1, Stream: session.S2C, Src: bridged{b.conn}, Dst: cfg.Out}
	var ctx context.Context
	ctx, b.unwatch = context.WithCancel(context.Background())
	cfg.InPath.watch(ctx, cfg.Notice, only(tap))
	c2s.Start()
	b.s2c.Start()
	return b, nil
}

// Wait waits until the client or ctx has ended the session, and for its end at the server;
// then it ends the record.
func (b *Bridge) Wait(ctx context.Context) error {
	why := "eof"
	select {
	case <-b.s2c.Done():
	case <-ctx.Done():
		why = "signal"
		b.socket.interceptor.End()
		_, _ = b.conn.ShutdownWithin(context.WithoutCancel(ctx), stopStep)
		<-b.s2c.Done()
	}
	_, err := b.conn.ShutdownWithin(context.WithoutCancel(ctx), stopStep)
	b.unwatch()
	b.record.end(why)
	b.socket.end()
	b.socket.interceptor.Close()
	return errors.Join(err, b.s2c.Err())
}

// clientEnd is the server's input, whose end is the client's: what is held is decided on then.
type clientEnd struct {
	serverInput
	interceptor *path.Interceptor
}

// Close ends what the client sends.
func (e clientEnd) Close() error {
	e.interceptor.End()
	return e.serverInput.Close()
}

// bridged is what the server says, as the relay to the client reads it. The client does
// not end it: that is the end of the session.
type bridged struct{ *http.Conn }

// Close has nothing to close.
func (bridged) Close() error { return nil }

// refusal is the response to a request that HTTP has refused.
func refusal(id string, err error) []byte {
	var data []byte
	code, message := int64(codeInternal), err.Error()
	if refused, ok := errors.AsType[*client.HTTPError](err); ok {
		data = fmt.Appendf(nil, `{"httpStatus":%d}`, refused.Status)
		if refused.RPC != nil {
			code, message = refused.RPC.Code, refused.RPC.Message
		}
	}
	return append(jsonrpc.AppendError(nil, id, code, message, data), '\n')
}
