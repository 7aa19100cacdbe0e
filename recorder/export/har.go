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
	"time"
	"unicode/utf8"

	"wiretea/session"
)

// Types of HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/. What is not
// HTTP is written as HTTP would have carried it: a message is a POST to a server
// that does not exist, under the name of its method. Members that begin with an
// underscore are ours.
type (
	harEntry struct {
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Conn     string      `json:"connection,omitempty"`
		Comment  string      `json:"comment,omitempty"`
		MCP      harMCP      `json:"_mcp"`
	}
	harRequest struct {
		Method      string     `json:"method"`
		URL         string     `json:"url"`
		Version     string     `json:"httpVersion"`
		Cookies     []struct{} `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Query       []harPair  `json:"queryString"`
		Post        harPost    `json:"postData"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int64      `json:"bodySize"`
	}
	harPost struct {
		Type   string    `json:"mimeType"`
		Params []harPair `json:"params"`
		Text   string    `json:"text"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		Version     string     `json:"httpVersion"`
		Cookies     []struct{} `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		Redirect    string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int64      `json:"bodySize"`
	}
	harContent struct {
		Size     int64  `json:"size"`
		Type     string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harTimings struct {
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
		SSL     float64 `json:"ssl"`
	}
	harMCP struct {
		N         uint32 `json:"n"`
		ResponseN uint32 `json:"responseN,omitempty"`
		Sender    string `json:"sender"`
		ID        string `json:"id,omitempty"`
		State     string `json:"state"`
	}
)

// HAR writes requests with their responses, and notifications, as an HTTP archive
// that the tools of browsers read.
func HAR(ctx context.Context, w io.Writer, r *Recording) error {
	out := bufio.NewWriter(w)
	comment := ""
	if h := r.Snap.Header(); h != nil {
		comment = fmt.Sprintf("MCP over %s, as HTTP would have carried it; recorded by %s", h.Trans, h.Tool)
	}
	head, err := json.Marshal(map[string]string{"name": "wiretea", "version": r.Tool})
	if err != nil {
		return err
	}
	note, err := json.Marshal(comment)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `{"log":{"version":"1.2","creator":%s,"comment":%s,"pages":[],"entries":[`, head, note)
	sep := "\n"
	put := func(e harEntry, err error) error {
		if err != nil {
			return err
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s%s", sep, line)
		sep = ",\n"
		return err
	}
	all := *r
	all.Filter = nil
	if err := all.rows(ctx, func(i uint32, row session.Row) error {
		if row.Kind != session.RowRequest && row.Kind != session.RowNotification {
			return nil
		}
		x := r.exchangeOf(i)
		selected, err := r.selects(i)
		if !selected && err == nil && x.resp != session.NoRow {
			selected, err = r.selects(x.resp)
		}
		if err != nil || !selected {
			return err
		}
		return put(r.harEntry(x))
	}); err != nil {
		return err
	}
	fmt.Fprint(out, "\n]}}\n")
	return out.Flush()
}

// harEntry is one exchange, or a notification.
func (r *Recording) harEntry(x exchange) (harEntry, error) {
	body, err := r.body(x.req, mostBody)
	if err != nil {
		return harEntry{}, err
	}
	headers := []harPair{{"Content-Type", "application/json"}}
	e := harEntry{
		Started: r.wall(x.row.T).Format(time.RFC3339Nano),
		Request: harRequest{
			Method: "POST", URL: r.url(x.row), Version: "HTTP/1.1", Cookies: []struct{}{}, Headers: headers, Query: []harPair{},
			Post: harPost{"application/json", []harPair{}, text(body)}, HeadersSize: -1, BodySize: int64(x.row.Len),
		},
		Response: harResponse{Version: "HTTP/1.1", Cookies: []struct{}{}, Headers: headers, Content: harContent{Type: "application/json"}, HeadersSize: -1, BodySize: -1},
		Timings:  harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1},
		Conn:     strconv.Itoa(int(x.row.Conn)),
		MCP:      harMCP{N: x.row.N, Sender: x.row.Stream.Sender().String(), ID: r.Snap.ID(x.row), State: x.state()},
	}
	switch {
	case x.row.Kind == session.RowNotification:
		e.MCP.State = "notification"
		e.Response.Status, e.Response.StatusText = 202, "Accepted"
		e.Comment = "a notification"
	case x.resp == session.NoRow:
		e.Comment = "no answer: " + x.state()
	default:
		err = r.harAnswer(&e, x)
	}
	return e, err
}

func (r *Recording) harAnswer(e *harEntry, x exchange) error {
	body, err := r.body(x.resp, mostBody)
	if err != nil {
		return err
	}
	e.MCP.ResponseN = x.answer.N
	e.Response.Status, e.Response.StatusText = 200, "OK"
	if x.answer.Kind == session.RowError {
		code, message, err := r.errorOf(x.resp)
		if err != nil {
			return err
		}
		e.Response.Status, e.Response.StatusText = 500, "JSON-RPC error"
		e.Comment = fmt.Sprintf("error %d: %s", code, visible([]byte(message), 200))
	}
	e.Response.BodySize = int64(x.answer.Len)
	e.Response.Content.Size = int64(x.answer.Len)
	e.Response.Content.Text = string(body)
	if !utf8.Valid(body) {
		e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(body), "base64"
	}
	e.Time = float64(x.latency) / 1e6
	e.Timings.Receive = min(float64(x.answer.Dur)/1e3, e.Time)
	e.Timings.Wait = e.Time - e.Timings.Receive
	return nil
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

// wall is the wall time of a time of the session.
func (r *Recording) wall(t int64) time.Time {
	if h := r.Snap.Header(); h != nil {
		return h.T0.Add(time.Duration(t)).UTC()
	}
	return time.Unix(0, t).UTC()
}
