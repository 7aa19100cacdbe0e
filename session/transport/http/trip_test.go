package http

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"wiretea/session"
)

func parse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestTrip(t *testing.T) {
	w := newWitness(t)
	trip := w.log.Begin(3, "POST", parse(t, "http://127.0.0.1:3001/mcp?x=1"), "HTTP/1.1", "127.0.0.1:5", http.Header{"Accept": {"b", "a"}, "A": {"1"}})
	trip.Sent([]byte("{}"))
	trip.SentAll()
	trip.Connected("127.0.0.1:3001", true, 0, 0, 0, nil)
	trip.Response(200, "HTTP/1.1", http.Header{"Content-Type": {"application/json"}})
	trip.Received([]byte("[1,"))
	trip.Received([]byte("2]"))
	trip.Failed(errors.New("cut"))
	trip.End("server", http.Header{"T": {"v"}})
	trip.End("eof", nil)
	trip.Received([]byte("late"))
	trip.Response(500, "HTTP/1.1", nil)
	got := w.whole(trip.Number())
	fields := func(pairs ...string) (list []session.HTTPField) {
		list = []session.HTTPField{}
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, session.HTTPField{Name: pairs[i], Value: pairs[i+1]})
		}
		return list
	}
	want := []session.HTTPEvent{
		{Event: "req", Conn: 3, Method: "POST", Target: "/mcp?x=1", Server: "http://127.0.0.1:3001", Proto: "HTTP/1.1", Remote: "127.0.0.1:5",
			Fields: fields("Host", "127.0.0.1:3001", "A", "1", "Accept", "b", "Accept", "a")},
		{Event: "sent"},
		{Event: "conn", Remote: "127.0.0.1:3001", Reused: true},
		{Event: "res", Status: 200, Proto: "HTTP/1.1", Fields: fields("Content-Type", "application/json")},
		{Event: "err", Why: "cut"},
		{Event: "end", Why: "server", Sent: 2, Received: 5, Fields: fields("T", "v")},
	}
	if diff := cmp.Diff(want, got.events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(got.bodies[session.C2S]) != "{}" || string(got.bodies[session.S2C]) != "[1,2]" {
		t.Errorf("bodies %q", got.bodies)
	}
}

func TestFields(t *testing.T) {
	jwt := func(claims string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	}
	log := &Log{Key: []byte("key")}
	secret := func(n int, of string) *session.Secret { return &session.Secret{Len: n, Hash: log.hash(of)} }
	token := jwt(`{"sub":"me","iss":"https://as","aud":["a","b"],"exp":1790000000.5,"scope":"read write"}`)
	claims := secret(len(token), token)
	claims.Iss, claims.Aud, claims.Exp, claims.Scp = "https://as", "a b", 1790000000, "read write"
	tests := []struct {
		name, value string
		want        string
		secret      *session.Secret
	}{
		{"Authorization", "Bearer s3cret", "Bearer", secret(6, "s3cret")},
		{"Authorization", "s3cret", "", secret(6, "s3cret")},
		{"Authorization", "a+b secret", "", secret(10, "a+b secret")},
		{"Authorization", "Bearer " + token, "Bearer", claims},
		{"Authorization", "Bearer a.%%.c", "Bearer", secret(6, "a.%%.c")},
		{"Proxy-Authorization", "Basic eDp5", "Basic", secret(4, "eDp5")},
		{"Cookie", "a=b; c=d", "", secret(8, "a=b; c=d")},
		{"Set-Cookie", "a=b", "", secret(3, "a=b")},
		{"X-Api-Key", "1234", "", secret(4, "1234")},
		{"X-Auth-Token", "abc", "", secret(3, "abc")},
		{"Mcp-Param-Password", "abc", "", secret(3, "abc")},
		{"Mcp-Session-Id", "1", "", secret(1, "1")},
		{"Dpop", "x", "", secret(1, "x")},
		{"Location", "https://c/cb?code=abc&state=s&x=1", "https://c/cb?code=redacted-" + log.hash("abc") + "-3&state=redacted-" + log.hash("s") + "-1&x=1", nil},
		{"Access-Control-Allow-Credentials", "true", "true", nil},
		{"Access-Control-Allow-Headers", "authorization", "authorization", nil},
		{"X-Ratelimit-Remaining-Tokens", "100", "100", nil},
		{"Content-Type", "application/json", "application/json", nil},
		{"Www-Authenticate", `Bearer resource_metadata="https://x"`, `Bearer resource_metadata="https://x"`, nil},
		{"Mcp-Protocol-Version", "2025-11-25", "2025-11-25", nil},
		{"Mcp-Name", "echo", "echo", nil},
		{"Etag", `"abc"`, `"abc"`, nil},
	}
	for _, test := range tests {
		want := session.HTTPField{Name: test.name, Value: test.want, Secret: test.secret}
		if diff := cmp.Diff(want, log.field(test.name, test.value)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.name, test.value, diff)
		}
	}
	if other := (&Log{Key: []byte("other")}); other.hash("a") == log.hash("a") || len(log.hash("a")) != 8 {
		t.Error("the hash does not depend on the key")
	}
}

func TestTarget(t *testing.T) {
	log := &Log{Key: []byte("key")}
	hidden := func(value string) string { return fmt.Sprintf("redacted-%s-%d", log.hash(value), len(value)) }
	for _, test := range [][2]string{
		{"/mcp", "/mcp"},
		{"/mcp/", "/mcp/"},
		{"/mcp?", "/mcp?"},
		{"", "/"},
		{"/a%2Fb?q=%20&&x", "/a%2Fb?q=%20&&x"},
		{"/messages/?session_id=a%2Bb", "/messages/?session_id=" + hidden("a+b")},
		{"/m?sessionId=ab&token=cd&access_token=&api_key=e&code=f&state=g", "/m?sessionId=" + hidden("ab") + "&token=" + hidden("cd") +
			"&access_token=&api_key=" + hidden("e") + "&code=" + hidden("f") + "&state=" + hidden("g")},
		{"/m?access%5Ftoken=x", "/m?access%5Ftoken=" + hidden("x")},
		{"http://user:pass@h/m?nextToken=x", "/m?nextToken=x"},
	} {
		if got := log.target(parse(t, test[0])); got != test[1] {
			t.Errorf("%s: got %s, want %s", test[0], got, test[1])
		}
	}
}

// coders make bodies with a content coding.
var coders = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"bare": func(w io.Writer) io.WriteCloser {
		f, _ := flate.NewWriter(w, 5)
		return f
	},
	"zstd": func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w)
		return z
	},
}

func coded(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := coders[coding](&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// begin begins a round trip with an answer that has a content coding.
func begin(t *testing.T, w *witness, coding string) *Trip {
	trip := w.log.Begin(1, "POST", parse(t, "/mcp"), "HTTP/1.1", "", http.Header{})
	trip.Response(200, "HTTP/1.1", http.Header{"Content-Encoding": {coding}})
	return trip
}

func TestContentCoding(t *testing.T) {
	body := bytes.Repeat([]byte(`{"jsonrpc":"2.0"} `), 10_000)
	for name := range coders {
		t.Run(name, func(t *testing.T) {
			coding := strings.Replace(name, "bare", "deflate", 1)
			w, wire := newWitness(t), coded(t, name, body)
			for _, size := range []int{1, 100, len(wire)} {
				trip := begin(t, w, coding)
				for i := 0; i < len(wire); i += size {
					trip.Received(wire[i:min(i+size, len(wire))])
				}
				trip.End("eof", nil)
				got := w.whole(trip.Number())
				if !bytes.Equal(got.bodies[session.S2C], body) {
					t.Errorf("by %d: %d bytes, want %d", size, len(got.bodies[session.S2C]), len(body))
				}
				if res, end, err := got.event("res"), got.event("end"), got.event("err"); res.Coding != coding || end.Received != int64(len(wire)) || err.Why != "" {
					t.Errorf("by %d: %+v, %+v, %q", size, res, end, err.Why)
				}
			}
		})
	}
}

func TestContentCodingOfRequest(t *testing.T) {
	w := newWitness(t)
	wire := coded(t, "gzip", coded(t, "zstd", []byte("{}")))
	trip := w.log.Begin(1, "POST", parse(t, "/mcp"), "HTTP/1.1", "", http.Header{"Content-Encoding": {"zstd, gzip"}})
	trip.Sent(wire)
	trip.SentAll()
	w.wait(trip.Number(), "sent", func(s *seen) bool { return s.event("sent").Event != "" && len(s.bodies[session.C2S]) == 2 })
	trip.End("eof", nil)
	got := w.whole(trip.Number())
	if string(got.bodies[session.C2S]) != "{}" || got.event("req").Coding != "gzip, zstd" {
		t.Errorf("got %q, %+v", got.bodies[session.C2S], got.events)
	}
}

// TestContentCodingStreams holds that what was flushed is recorded before more comes.
func TestContentCodingStreams(t *testing.T) {
	w := newWitness(t)
	trip := begin(t, w, "gzip")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	want := ""
	for range 3 {
		want += "data: 1\n\n"
		io.WriteString(z, "data: 1\n\n")
		z.Flush()
		trip.Received(b.Bytes())
		b.Reset()
		w.wait(trip.Number(), "event", func(s *seen) bool { return string(s.bodies[session.S2C]) == want })
	}
	trip.End("client", nil)
	if err := w.whole(trip.Number()).event("err"); !strings.HasSuffix(err.Why, "unexpected EOF") {
		t.Errorf("got %q of a stream that was cut", err.Why)
	}
}

func TestContentCodingFails(t *testing.T) {
	wire := coded(t, "gzip", bytes.Repeat([]byte("abc"), 100_000))
	tests := []struct {
		name, coding, body string
		want               string // want is the recorded body.
		err                string
	}{
		{"not coded", "gzip", `{"a":"a text"}`, `{"a":"a text"}`, "invalid header"},
		{"too short", "gzip", "x", "x", "EOF"},
		{"empty", "gzip", "", "", ""},
		{"unknown", "br", "{}", "{}", ""},
		{"one unknown", "gzip, br", "{}", "{}", ""},
		{"identity", "identity", "{}", "{}", ""},
		{"bytes behind", "deflate", string(coded(t, "deflate", []byte("{}"))) + "rest", "{}rest", "bytes follow"},
		{"zstd", "zstd", "no zstd at all", "no zstd at all", "magic number"},
		{"cut", "gzip", string(wire[:len(wire)-6]), strings.Repeat("abc", 100_000), "unexpected EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWitness(t)
			trip := begin(t, w, test.coding)
			trip.Received([]byte(test.body))
			trip.End("eof", nil)
			got := w.whole(trip.Number())
			body := string(got.bodies[session.S2C])
			if why := got.event("err").Why; !strings.Contains(why, test.err) || (why == "") != (test.err == "") {
				t.Errorf("err %q, want %q", why, test.err)
			}
			if body != test.want {
				t.Errorf("got %q, want %q", body, test.want)
			}
		})
	}
}

// TestContentCodingExpands holds that a body cannot fill the disk.
func TestContentCodingExpands(t *testing.T) {
	w := newWitness(t)
	decoded := 0
	w.sums = func(_ int, _ session.Stream, data []byte) { decoded += len(data) }
	trip := begin(t, w, "gzip")
	trip.Received(coded(t, "gzip", make([]byte, maxDecoded+8<<20)))
	trip.End("eof", nil)
	got := w.whole(trip.Number())
	if err := got.event("err"); !strings.Contains(err.Why, "100 times") || decoded > maxDecoded+1<<20 {
		t.Errorf("%d bytes, err %q", decoded, err.Why)
	}
}

// TestContentCodingBehind holds that what comes faster than it is decoded is counted.
func TestContentCodingBehind(t *testing.T) {
	log := newWitness(t).log
	d := newDecoder(&Trip{log: log}, session.S2C, []string{"gzip"})
	chunk := make([]byte, 1<<20)
	for range 6 {
		d.put(chunk)
	}
	if d.lost != 2<<20 || len(d.queue) != maxQueue || log.queued.Load() != maxQueue {
		t.Errorf("lost %d, queue %d, of all %d", d.lost, len(d.queue), log.queued.Load())
	}
	for n := 0; n < maxQueue; {
		k, err := d.Read(chunk)
		if err != nil {
			t.Fatal(err)
		}
		n += k
	}
	d.close()
	if d.put(chunk); d.lost != 3<<20 {
		t.Errorf("lost %d after the queue was empty again", d.lost)
	}
	if d.take() || log.queued.Load() != 0 {
		t.Errorf("of all %d", log.queued.Load())
	}
}

// TestLoginBodies holds that nothing secret of a login is recorded, and that messages are
// recorded as they are.
func TestLoginBodies(t *testing.T) {
	const form = "grant_type=authorization_code&code=SECRET1&code_verifier=SECRET2&client_secret=SECRET3&redirect_uri=http%3A%2F%2Flocalhost%2F"
	const token = `{"access_token":"SECRET4","token_type":"Bearer", "expires_in":3600,"refresh_token":"SECRET5","id_token":"SECRET6","scope":"read"}`
	const client = `{"client_id":"c1","client_secret":"SECRET7","registration_access_token":"SECRET8"}`
	const message = `{"jsonrpc":"2.0","id":1,"result":{"access_token":"SECRET"}}`
	of := func(kind string) http.Header { return http.Header{"Content-Type": {kind}} }
	with := func(h http.Header, coding string) http.Header { h.Set("Content-Encoding", coding); return h }
	login := of("application/x-www-form-urlencoded; charset=utf-8")
	for name, c := range map[string]struct {
		request     http.Header
		status      int
		response    http.Header
		sent, got   string
		wire        []byte // wire is what crosses in place of got, if that is coded.
		asked, told []string
	}{
		"token":          {login, 200, of("application/json"), form, token, nil, []string{"grant_type=authorization_code", "&redirect_uri=http%3A"}, []string{`"token_type":"Bearer", "expires_in":3600`, `"scope":"read"`, `"access_token":"redacted-`}},
		"answer by form": {login, 200, of("text/plain"), form, "access_token=SECRET9&scope=a", nil, nil, []string{"&scope=a"}},
		"coded":          {login, 200, with(of("application/json"), "gzip"), form, token, coded(t, "gzip", []byte(token)), nil, []string{`"token_type":"Bearer"`}},
		"coded by br":    {login, 200, with(of("application/json"), "br"), form, "SECRET", nil, nil, []string{"redacted-"}},
		"not coded":      {login, 200, with(of("application/json"), "gzip"), form, "", []byte(token), nil, []string{"redacted-"}},
		"too long":       {login, 200, of("application/json"), form, "", bytes.Repeat([]byte("SECRET "), maxLogin), nil, []string{"redacted-"}},
		"refused":        {login, 400, of("application/json"), form, `{"error":"invalid_grant","error_description":"expired"}`, nil, nil, []string{`{"error":"invalid_grant","error_description":"expired"}`}},
		"registration":   {of("application/json"), 201, of("application/json"), `{"client_name":"c"}`, client, nil, []string{`{"client_name":"c"}`}, []string{`"client_id":"c1"`}},
		"message":        {of("application/json"), 200, of("application/json"), message, message, nil, []string{message}, []string{message}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWitness(t)
			if c.wire == nil {
				c.wire = []byte(c.got)
			}
			for _, size := range []int{7, 1 << 30} {
				trip := w.log.Begin(1, "POST", parse(t, "/token"), "HTTP/1.1", "", c.request)
				for part := range slices.Chunk([]byte(c.sent), min(size, len(c.sent))) {
					trip.Sent(part)
				}
				trip.SentAll()
				trip.Response(c.status, "HTTP/1.1", c.response)
				for part := range slices.Chunk(c.wire, min(max(size, len(c.wire)/100), len(c.wire))) {
					trip.Received(part)
				}
				trip.End("eof", nil)
				s := w.whole(trip.Number())
				for stream, shows := range [][]string{c.asked, c.told} {
					body := string(s.bodies[stream])
					if name != "message" && strings.Contains(body, "SECRET") || body == "" || s.lost[stream] > 0 {
						t.Errorf("stream %d: recorded %.300q, %d lost", stream, body, s.lost[stream])
					}
					for _, part := range shows {
						if !strings.Contains(body, part) {
							t.Errorf("stream %d: no %s in %q", stream, part, body)
						}
					}
				}
				if end := s.event("end"); end.Sent != int64(len(c.sent)) || end.Received != int64(len(c.wire)) {
					t.Errorf("end %+v", end)
				}
			}
			trip := w.log.Begin(1, "POST", parse(t, "/token"), "HTTP/1.1", "", c.request)
			trip.decided(&trip.sent, session.C2S, session.Crossed, session.Decided{By: "rule"}, []byte(c.sent))
			trip.End("eof", nil)
			if body := string(w.whole(trip.Number()).bodies[session.C2S]); name != "message" && strings.Contains(body, "SECRET") || body == "" {
				t.Errorf("decided on: recorded %q", body)
			}
		})
	}
}
