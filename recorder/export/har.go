package export

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"wiretea/session"
	"wiretea/session/text"
)

// object is an object of HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/.
type object = map[string]any

// none is an empty list.
var none = []object{}

// HAR writes requests with their responses, and notifications, as an HTTP archive
// that the tools of browsers read. Of several sessions, each is a page of the archive, and round
// trips of HTTP follow what would have been some.
func HAR(ctx context.Context, w io.Writer, r *Recording) error {
	out := bufio.NewWriter(w)
	pages, overHTTP, comment := none, false, []string{}
	for _, one := range r.members() {
		words := one.harComment()
		overHTTP = overHTTP || one.overHTTP()
		if one.letter != "" {
			words = one.letter + ": " + words
			pages = append(pages, object{"id": one.letter, "title": one.visibleName(), "startedDateTime": one.began().UTC().Format(time.RFC3339Nano), "pageTimings": object{}})
		}
		comment = append(comment, words)
	}
	if missing := r.missing(); missing != "" {
		comment = append(comment, "missing: "+missing)
	}
	head, err := json.Marshal(object{"version": "1.2", "creator": object{"name": "wiretea", "version": r.Tool}, "comment": strings.Join(comment, "; "), "pages": pages})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `{"log":%s,"entries":[`, head[:len(head)-1]) // The entries are its last member.
	sep := "\n"
	entry := func(conn int, e object, err error) error {
		if err != nil {
			return err
		}
		if letter := r.Snap.Letter(conn); letter != "" {
			e["pageref"] = letter
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s%s", sep, line)
		sep = ",\n"
		return err
	}
	if err := r.exchanges(ctx, true, func(x exchange) error {
		conn := int(x.row.Conn)
		if h := r.Snap.HeaderOf(conn); h != nil && h.Trans == "http" {
			return nil
		}
		e, err := r.harEntry(x)
		return entry(conn, e, err)
	}); err != nil {
		return err
	}
	if overHTTP {
		if err := r.trips(ctx, func(t *trip) error { return entry(t.Conn, t.harEntry(), nil) }); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "\n]}}\n")
	return out.Flush()
}

// harComment says what was recorded.
func (r *Recording) harComment() string {
	comment := ""
	if h := r.Snap.Header(); h != nil {
		comment = fmt.Sprintf("MCP over %s, as HTTP would have carried it; recorded by %s", h.Trans, h.Tool)
		if r.overHTTP() {
			comment = "MCP over HTTP, recorded by " + h.Tool
		}
	}
	return comment
}

// began is when the recording began; the epoch where it does not say that.
func (r *Recording) began() time.Time {
	if h := r.Snap.Header(); h != nil {
		return h.T0
	}
	return time.Unix(0, 0)
}

// harEntry is one exchange, or a notification. What is not HTTP is written as HTTP
// would have carried it: a message is a POST to a server that does not exist, under
// the name of its method. Members that begin with an underscore are ours.
func (r *Recording) harEntry(x exchange) (object, error) {
	body, err := r.body(x.req, mostBody)
	if err != nil {
		return nil, err
	}
	headers := []object{{"name": "Content-Type", "value": "application/json"}}
	content := object{"size": 0, "mimeType": "application/json"}
	response := object{"status": 0, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": none, "headers": headers, "content": content,
		"redirectURL": "", "headersSize": -1, "bodySize": -1}
	timings := object{"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": 0}
	mcp := object{"n": x.row.N, "sender": x.row.Stream.Sender().String(), "id": r.Snap.ID(x.row), "state": x.state()}
	e := object{
		"startedDateTime": r.began().Add(time.Duration(x.row.T)).UTC().Format(time.RFC3339Nano), "time": 0, "cache": object{}, "timings": timings,
		"request": object{
			"method": "POST", "url": r.url(x.row), "httpVersion": "HTTP/1.1", "cookies": none, "headers": headers, "queryString": none,
			"postData":    object{"mimeType": "application/json", "params": none, "text": textOf(body)},
			"headersSize": -1, "bodySize": x.row.Len,
		},
		"response": response, "connection": strconv.Itoa(r.Snap.Own(int(x.row.Conn))), "_mcp": mcp,
	}
	switch {
	case x.row.Kind == session.RowNotification:
		mcp["state"], e["comment"] = "notification", "a notification"
		response["status"], response["statusText"] = 202, "Accepted"
		return e, nil
	case x.resp == session.NoRow:
		e["comment"] = "no answer: " + x.state()
		return e, nil
	}
	if body, err = r.body(x.resp, mostBody); err != nil {
		return nil, err
	}
	mcp["responseN"] = x.answer.N
	response["status"], response["statusText"], response["bodySize"] = 200, "OK", x.answer.Len
	if x.answer.Kind == session.RowError {
		code, message, err := r.errorOf(x.resp)
		if err != nil {
			return nil, err
		}
		response["status"], response["statusText"] = 500, "JSON-RPC error"
		e["comment"] = fmt.Sprintf("error %d: %s", code, text.Visible([]byte(message), 200))
	}
	content["size"], content["text"] = x.answer.Len, string(body)
	if !utf8.Valid(body) {
		content["text"], content["encoding"] = base64.StdEncoding.EncodeToString(body), "base64"
	}
	took := float64(x.latency) / 1e6
	receive := min(float64(x.answer.Dur)/1e3, took)
	e["time"], timings["receive"], timings["wait"] = took, receive, took-receive
	return e, nil
}

// url is the address that stands for a method. No such host can exist [RFC 6761 §6.4].
func (r *Recording) url(row session.Row) string {
	receiver := "server"
	if row.Stream != session.C2S {
		receiver = "client"
	}
	u := "http://" + receiver + ".mcp.invalid/" + (&url.URL{Path: r.Snap.Name(row.Method)}).EscapedPath()
	if target := r.Snap.Name(row.Target); target != "" {
		u += "/" + url.PathEscape(target)
	}
	return u
}
