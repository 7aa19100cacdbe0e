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
	const word36 = "aZ3kQ9xL2mW7cR5tB8vN1yH4gJ6dF0sPqEuI"
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
		{"X-Functions-Key", "abc", "", secret(3, "abc")},
		{"Key", "abc", "", secret(3, "abc")},
		{"Dd-Application-Key", "abc", "", secret(3, "abc")},
		{"Cf-Access-Jwt-Assertion", token, "", claims},
		{"X-Client-Cert", "abc", "", secret(3, "abc")},
		{"Authentication", "abc", "", secret(3, "abc")},
		{"Sec-Websocket-Protocol", "bearer, abc", "", secret(11, "bearer, abc")},
		{"X-Custom", "ghp_" + word36, "redacted-" + log.hash("ghp_"+word36) + "-value-40", nil},
		{"X-Trace", "u=https://a:s3cret@h/;x", "u=https://a:redacted-" + log.hash("s3cret") + "-value-6@h/;x", nil},
		{"X-Request-Id", word36, word36, nil},
		{"Etag", `W/"` + word36 + `"`, `W/"` + word36 + `"`, nil},
		{"Content-Security-Policy", "script-src 'nonce-" + word36 + "'", "script-src 'nonce-" + word36 + "'", nil},
		{"Www-Authenticate", `Digest realm="a@b", qop="auth", nonce="` + word36 + `", opaque="5ccc069c403ebaf9f0171e9517f40e41"`, `Digest realm="a@b", qop="auth", nonce="` + word36 + `", opaque="5ccc069c403ebaf9f0171e9517f40e41"`, nil},
		{"Location", "https://c/cb?code=abc&state=s&x=1", "https://c/cb?code=redacted-" + log.hash("abc") + "-value-3&state=redacted-" + log.hash("s") + "-value-1&x=1", nil},
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
	hidden := func(value string) string { return fmt.Sprintf("redacted-%s-value-%d", log.hash(value), len(value)) }
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
		{"/m?sid=a&ticket=ST-1&SAMLResponse=b&hmac=c&k=d", "/m?sid=" + hidden("a") + "&ticket=" + hidden("ST-1") + "&SAMLResponse=" + hidden("b") + "&hmac=" + hidden("c") + "&k=" + hidden("d")},
		{"/m?3fa91c07be52d846", "/m?" + hidden("3fa91c07be52d846")},
		{"/m?q=ghp_aZ3kQ9xL2mW7cR5tB8vN1yH4gJ6dF0sPqEuI", "/m?q=" + hidden("ghp_aZ3kQ9xL2mW7cR5tB8vN1yH4gJ6dF0sPqEuI")},
		{"/m?q=550e8400-e29b-41d4-a716-446655440000&page=2", "/m?q=550e8400-e29b-41d4-a716-446655440000&page=2"},
		{"/app;jsessionid=0123ABCD4567", "/app;jsessionid=" + hidden("0123ABCD4567")},
		{"/api/mcp/s/aZ3kQ9xL2mW7cR5tB8vN/mcp", "/api/mcp/s/" + hidden("aZ3kQ9xL2mW7cR5tB8vN") + "/mcp"},
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
func begin(t *testing.T, w *witness, coding string) *TripRecorder {
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
	plain := w.log.Begin(1, "POST", parse(t, "/mcp"), "HTTP/1.1", "", http.Header{"Content-Encoding": {"gzip"}})
	plain.Sent([]byte(`{"a":"a text"}`))
	plain.End("eof", nil)
	if why := w.whole(plain.Number()).event("err").Why; !strings.Contains(why, "copy of the request: gzip: invalid header") {
		t.Errorf("got %q of a body without its coding", why)
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
		{"gzip, bytes behind", "gzip", string(coded(t, "gzip", []byte("{}"))) + "rest and more", "{}ore", "copy of the response: bytes follow"},
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
	d := newDecoder(&TripRecorder{log: log}, session.S2C, []string{"gzip"})
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

// TestLoginBodies holds that nothing secret of a login is recorded, and that all else is
// recorded as it is, when it comes.
func TestLoginBodies(t *testing.T) {
	const form = "grant_type=authorization_code&code=SECRET1&code_verifier=SECRET2&client_secret=SECRET3&redirect_uri=http%3A%2F%2Flocalhost%2F"
	const token = `{"access_token":"SECRET4","token_type":"Bearer", "expires_in":3600,"refresh_token":"SECRET5","id_token":"SECRET6","scope":"read"}`
	const client = `{"client_id":"c1","client_secret":"SECRET7","registration_access_token":"SECRET8"}`
	const message = `{"result":{"access_token":"abc"},"jsonrpc":"2.0","id":1}`
	const refusal = `{"error":"invalid_grant","error_description":"expired"}`
	of := func(kind string) http.Header { return http.Header{"Content-Type": {kind}} }
	with := func(h http.Header, coding string) http.Header { h.Set("Content-Encoding", coding); return h }
	login, json := of("application/x-www-form-urlencoded; charset=utf-8"), of("application/json")
	gzip := with(of("application/json"), "gzip")
	for name, c := range map[string]struct {
		request   http.Header
		status    int
		response  http.Header
		sent, got string
		says      [2]string // says is a part of what is recorded of each.
	}{
		"token":           {login, 200, json, form, token, [2]string{"&redirect_uri=http%3A", `"token_type":"Bearer", "expires_in":3600,"refresh_token":"redacted-`}},
		"multipart":       {of("multipart/form-data; boundary=b"), 200, json, "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\nSECRET3\r\n--b--\r\n", token, [2]string{"\r\n--b--", ""}},
		"line feed":       {login, 200, json, "client_secret=SECRET\n", token, [2]string{"client_secret=redacted-", `"scope":"read"`}},
		"form back":       {login, 200, of("text/plain"), form, "access_token=SECRET9&scope=a", [2]string{"", "&scope=a"}},
		"bare token":      {login, 200, of("text/plain"), form, "ghp_SECRETabcdefghijklmnopqrstuvwxyz012345", [2]string{"", "redacted-"}},
		"gzip":            {login, 200, gzip, form, string(coded(t, "gzip", []byte(token))), [2]string{"", `"token_type":"Bearer"`}},
		"gzip, a part":    {login, 206, gzip, form, string(coded(t, "gzip", []byte(token))), [2]string{"", "redacted-"}},
		"br":              {login, 200, with(of("application/json"), "br"), form, "SECRET", [2]string{"", "redacted-"}},
		"not coded":       {login, 200, gzip, form, token, [2]string{"", "redacted-"}},
		"identity":        {login, 200, with(of("application/json"), "identity"), form, token, [2]string{"", `"scope":"read"`}},
		"request in gzip": {with(of("application/x-www-form-urlencoded"), "gzip"), 200, json, string(coded(t, "gzip", []byte(form))), token, [2]string{"grant_type=authorization_code", ""}},
		"too long":        {login, 200, json, form, strings.Repeat("SECRET ", maxLogin), [2]string{"", "redacted-"}},
		"refused":         {login, 400, json, form, refusal, [2]string{"", refusal}},
		"registration":    {json, 201, json, `{"client_name":"c"}`, client, [2]string{`{"client_name":"c"}`, `"client_id":"c1"`}},
		"read again":      {http.Header{}, 200, json, "", client, [2]string{"", `"client_id":"c1"`}},

		"message":                {json, 200, json, message, message, [2]string{message, message}},
		"created":                {json, 201, json, message, message, [2]string{message, message}},
		"created stream":         {json, 201, of("text/event-stream"), message, "data: " + message + "\n\n", [2]string{message, "data: " + message + "\n\n"}},
		"message in gzip":        {gzip, 200, json, string(coded(t, "gzip", []byte(message))), message, [2]string{message, message}},
		"message as form":        {login, 200, json, message, message, [2]string{message, message}},
		"stream to a form":       {login, 200, of("text/event-stream"), message, "data: {}\n\n", [2]string{message, "data: {}\n\n"}},
		"long, without a member": {json, 200, json, "[]", "[" + strings.Repeat(" ", maxLogin+10), [2]string{"[]", strings.Repeat(" ", maxLogin+10)}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWitness(t)
			for _, size := range []int{7, 1 << 30} {
				trip := w.log.Begin(1, "POST", parse(t, "/token"), "HTTP/1.1", "", c.request)
				if size > 7 {
					trip.Response(100, "HTTP/1.1", json)
				}
				for part := range slices.Chunk([]byte(c.sent), size) {
					trip.Sent(part)
				}
				if size > 7 {
					trip.SentAll()
				}
				trip.Response(c.status, "HTTP/1.1", c.response)
				for part := range slices.Chunk([]byte(c.got), max(size, len(c.got)/100)) {
					trip.Received(part)
				}
				trip.Forwarded()
				if strings.Contains(c.got, "jsonrpc") {
					w.wait(trip.Number(), "the message", func(s *seen) bool { return string(s.bodies[session.S2C]) == c.got })
				}
				trip.End("eof", nil)
				s := w.whole(trip.Number())
				for stream, says := range c.says {
					if body := string(s.bodies[stream]); strings.Contains(body, "SECRET") || !strings.Contains(body, says) || s.lost[stream] > 0 {
						t.Errorf("stream %d: recorded %.300q, not %.100q, %d lost", stream, body, says, s.lost[stream])
					}
				}
				if end := s.event("end"); end.Sent != int64(len(c.sent)) || end.Received != int64(len(c.got)) {
					t.Errorf("end %+v", end)
				}
			}
			trip := w.log.Begin(1, "POST", parse(t, "/token"), "HTTP/1.1", "", c.request)
			trip.decided(&trip.sent, session.C2S, session.Crossed, session.Decided{By: "rule"}, []byte(c.sent))
			trip.Response(c.status, "HTTP/1.1", c.response)
			trip.decided(&trip.received, session.S2C, session.Crossed, session.Decided{By: "rule"}, []byte(c.got))
			trip.End("eof", nil)
			s := w.whole(trip.Number())
			for stream, body := range s.bodies {
				if strings.Contains(string(body), "SECRET") || strings.Contains(string(body), "jsonrpc") && string(body) != []string{c.sent, c.got}[stream] {
					t.Errorf("stream %d, decided on: recorded %q", stream, body)
				}
			}
		})
	}
}
