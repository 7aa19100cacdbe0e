package client

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// answerRequest answers a request of the server. One that cannot be answered,
// because its id is none or because it is a notification with an id, is left
// alone, as an answer would be a second fault on the wire.
func (c *Client) answerRequest(id []byte, method string) {
	result, refusal := c.decide(method)
	var msg []byte
	if refusal == "" {
		msg = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	} else {
		msg = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":%s}}`, id, quote(refusal))
	}
	// A server that asks and does not read gets no answer: the reader must not
	// wait for it.
	_ = c.out.offer(msg)
}

// decide returns the result of a server's request, or why there is none.
func (c *Client) decide(method string) (result json.RawMessage, refusal string) {
	if c.Server().Era == mcp.Modern {
		return nil, fmt.Sprintf("%s refused: servers send no requests in protocol %s and later", method, mcp.LatestModern)
	}
	switch method {
	case "ping":
		return json.RawMessage(`{}`), ""
	case "roots/list":
		if c.roots != nil {
			return fmt.Appendf(nil, `{"roots":%s}`, c.roots), ""
		}
		return nil, "roots/list refused: this client has no roots and declared none"
	}
	return nil, fmt.Sprintf("%s refused: wiretea does not support it and declared no such capability", method)
}

// usableID reports whether an id may stand in a request: a string or an integer.
func usableID(id *jsonrpc.Value) bool {
	switch id.Type {
	case jsonrpc.String:
		return true
	case jsonrpc.Number:
		return !strings.ContainsAny(string(id.Raw), ".eE")
	}
	return false
}

// rootsJSON returns the JSON array of the roots, nil for none.
func rootsJSON(roots []string) (json.RawMessage, error) {
	if len(roots) == 0 {
		return nil, nil
	}
	b := []byte{'['}
	for i, root := range roots {
		uri, name, err := rootURI(root)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"uri":%s,"name":%s}`, quote(uri), quote(name))
	}
	return append(b, ']'), nil
}

// rootURI returns a root as a file:// URI with a name to show. A root must be
// one: [Vn] client/roots.
func rootURI(root string) (uri, name string, err error) {
	if strings.HasPrefix(root, "file://") {
		u, err := url.Parse(root)
		if err != nil {
			return "", "", fmt.Errorf("reading root: %w", err)
		}
		return root, lastElement(u.Path), nil
	}
	if strings.Contains(root, "://") {
		return "", "", fmt.Errorf("reading root %q: a root is a folder or a file:// URI", root)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", "", fmt.Errorf("reading root %q: %w", root, err)
	}
	path := filepath.ToSlash(abs)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/x is file:///C:/x
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), lastElement(path), nil
}

func lastElement(path string) string {
	path = strings.TrimRight(path, "/")
	if name := path[strings.LastIndexByte(path, '/')+1:]; name != "" {
		return name
	}
	return "/"
}
