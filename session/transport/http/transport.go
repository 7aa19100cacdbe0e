package http

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// NewTransport returns a transport for MCP: it adds no field and no content coding, keeps
// a connection for each request that runs at the same time, and closes an idle one before
// servers usually do (5 s with Node.js and uvicorn), because a POST on a connection that
// is being closed fails and must not be repeated. config is nil for the defaults; proxy
// is nil for none.
func NewTransport(config *tls.Config, proxy func(*http.Request) (*url.URL, error), http1 bool) *http.Transport {
	t := &http.Transport{
		Proxy:                 proxy,
		TLSClientConfig:       config,
		DisableCompression:    true,
		ForceAttemptHTTP2:     !http1,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       4 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		WriteBufferSize:       2 << 10, // Each open stream has both.
		ReadBufferSize:        2 << 10,
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode == http.StatusOK {
				return nil
			}
			return &ConnectError{Proxy: proxy.Host, Status: res.StatusCode}
		},
	}
	if http1 {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
	}
	return t
}

// A ConnectError says that an HTTP proxy did not make a connection.
type ConnectError struct {
	Proxy  string // Proxy is its host.
	Status int    // Status is that of its response to CONNECT.
}

func (e *ConnectError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the HTTP proxy %s answered CONNECT with %d %s", e.Proxy, e.Status, http.StatusText(e.Status)))
}
