package secrets

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// letters makes n letters and digits that look random and are nobody's.
func letters(n int) string {
	const set = "aZ3kQ9xL2mW7cR5tB8vN1yH4gJ6dF0sPqEuIoKzTwXnMbVfYhGjDrSlCpAiUe"
	return strings.Repeat(set, n/len(set)+1)[:n]
}

func hexes(n int) string { return strings.Repeat("3fa91c07be52d846", n/16+1)[:n] }

func uppers(n int) string { return strings.Repeat("Q7ZKXM2WPL9RTVB4", n/16+1)[:n] }

// planted are texts with one secret each, which stands between « and ».
func planted() map[string]string {
	all := map[string]string{
		"member":                   `{"password":"«hunter2 or so»"}`,
		"member, camel":            `{"userPassword": "«x»", "user":"me"}`,
		"member, snake":            `{"db_password":"«x y z»"}`,
		"member, kebab":            `{"x-api-key":"«short»"}`,
		"member, upper":            `{"API_KEY" : "«short»"}`,
		"member, escapes":          `{"client_secret":"«a\"b\\»","x":1}`,
		"member, number":           `{"pin":«1234»}`,
		"member, broken JSON":      `{"token":"«abc`,
		"member, dotted":           `{"aws.secretAccessKey":"«abc»"}`,
		"cookie":                   `{"Set-Cookie":"«sid=1; Path=/»"}`,
		"header":                   `{"Authorization":"«Bearer abcdefgh»"}`,
		"header in text":           `curl -H 'Authorization: «Bearer abc.def»' x`,
		"header without name":      `got Bearer «abcdefghijkl12»`,
		"env line":                 "set DB_PASSWORD=«s3cr3t!» and go",
		"yaml":                     "api_key: «abcd1234»\n",
		"JSON in a string":         `{"text":"{\"password\":\"«s3cr3t»\"}"}`,
		"query":                    `GET /v1?a=1&access_token=«abcd1234»&b=2`,
		"url":                      `postgres://user:«p4ss»@db.example/x`,
		"url in a string":          `{"dsnText":"mongodb+srv://u:«pw»@h"}`,
		"jwt":                      "x «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + letters(30) + "» y",
		"private key":              `{"k":"«-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----»\n"}`,
		"private key, cut":         "«-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb",
		"random":                   `{"q":"«` + letters(40) + `»"}`,
		"random, after escape":     `{"q":"a\n«` + letters(40) + `»"}`,
		"random hex":               `{"q":"«` + hexes(40) + `»"}`,
		"random base64":            `{"q":"«` + letters(30) + "+/" + letters(9) + `=»"}`,
		"token after an escape":    `{"text":"token\nghp and \n«ghp_` + letters(36) + `»"}`,
		"JSON in a string, spaces": `{"text":"{\"a\":1,\"password\":\"«two words»\"}"}`,
		"behind a stray quote":     "a stray \" quote\n{\"password\":\"«x y»\"}",
		"JSON in JSON in a string": `{"text":"{\"t\":\"{\\\"pin\\\":\\\"«four»\\\"}\"}"}`,
		"flag in a command":        `{"args":["-y","server","--api-key","«k1»","--verbose"]}`,
		"header in a list":         `{"headers":[{"name":"Authorization","value":"«x y»"}]}`,
		"variable in a list":       `{"env":[{"name":"DB_PASSWORD","isSecret":true,"value":"«p»"}]}`,
		"requestState":             `{"result":{"resultType":"input_required","requestState":"«state one»"}}`,
		"default of a schema":      `{"properties":{"x":{"type":"string","default":"«ghp_` + letters(36) + `»"}}}`,
		"default of a secret":      `{"properties":{"password":{"type":"string","default":"«dflt»","enum":["a","b"]}}}`,
		"storage account":          "AccountName=me;AccountKey=«" + letters(40) + "==»;EndpointSuffix=x",
		"signed url":               "https://b.example/x?X-Amz-Signature=«" + hexes(64) + "»&y=1",
		"npmrc":                    "//registry.example.com/:_authToken=«abcd1234»",
		"AWS secret in its line":   "aws_secret_access_key = «" + letters(40) + "»",
	}
	for _, f := range table {
		tail := letters(f.least + 4)
		switch {
		case !f.chars('g') && f.chars('G'):
			tail = uppers(f.least)
		case !f.chars('g'):
			tail = hexes(f.least)
		}
		all["format "+f.prefix] = `{"text":"use «` + f.prefix + tail + `» here"}`
	}
	return all
}

func TestFind(t *testing.T) {
	if n := len(planted()); n < 50 {
		t.Errorf("only %d kinds of secret", n)
	}
	for name, marked := range planted() {
		t.Run(name, func(t *testing.T) {
			head, rest, _ := strings.Cut(marked, "«")
			secret, tail, _ := strings.Cut(rest, "»")
			text := head + secret + tail
			spans := new(Finder).Find([]byte(text))
			if len(spans) != 1 || text[spans[0].From:spans[0].To] != secret || spans[0].Kind == "" {
				t.Errorf("%s\nfound %s", text, describe(text, spans))
			}
		})
	}
}

func describe(text string, spans []Span) string {
	var all []string
	for _, s := range spans {
		all = append(all, fmt.Sprintf("%q (%s)", text[s.From:s.To], s.Kind))
	}
	return strings.Join(all, ", ")
}

// TestHarmless: what sessions are full of is let be.
func TestHarmless(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":"wiretea-7f3a-12","method":"notifications/progress","params":{"progressToken":12,"progress":1}}`,
		`{"_meta":{"progressToken":"abc-def-1234"},"maxTokens":4096,"stopSequences":[]}`,
		`{"usage":{"input_tokens":12345,"output_tokens":6789}}`,
		`{"max_output_tokens":128000}`,
		`{"nextCursor":"page-2","requestId":"550e8400-e29b-41d4-a716-446655440000"}`,
		`{"protocolVersion":"2026-07-28","serverInfo":{"name":"everything-server","version":"1.2.3-beta.4"}}`,
		`{"uri":"file:///home/someone/projects/2024/internal-tools/src/main_test.go"}`,
		`{"description":"Returns the authentication status; needs no token: just call it."}`,
		`{"inputSchema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}`,
		`{"text":"The quick brown fox jumps over thirteen lazy dogs, internationalization-of-everything"}`,
		`{"mimeType":"image/png","data":"` + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 60) + `"}`,
		`{"timestamp":"2026-11-21T10:00:00.000000000Z","size":12345678901234567890}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false}`,
		`at Object.<anonymous> (/app/node_modules/@modelcontextprotocol/server-everything/dist/index.js:12:34)`,
		`{"key":"value","name":"get_resource_reference_by_identifier_2"}`,
		`listening on http://localhost:3000/path?x=1`,
		`wiretea: token null, password: none`,
		`{"nextCursor":"` + letters(40) + `","params":{"cursor":"` + letters(44) + `"},"taskId":"` + hexes(32) + `"}`,
		`{"inputSchema":{"properties":{"password":{"type":"string","description":"Your password, 8 letters or more"},"token":{"$ref":"#/x"}}}}`,
		`{"type":"image","data":"` + letters(80) + `","mimeType":"image/png"}`,
		`{"blob":"` + letters(60) + `","uri":"x"}`,
		`{"src":"data:image/svg+xml;base64,` + letters(80) + `"}`,
		`{"data":"` + strings.Repeat("AIza-ghp_/", 99) + `"}`,
		`commit ` + hexes(40) + `, and {"sha":"` + hexes(40) + `"}`,
		`{"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}`,
		`{"auth":"oauth2","workDoneToken":"abc-1"}`,
		"a stray \" quote\nand \"more\": of it, \"credentials\": { cut\n{\"user\":\"me\",\"list\":[\"x\"]}",
		`{"signature":"func Find(text []byte) []Span"}`,
		`{"password":"redacted-password-12","pin":9090909000012,"x":"Bearer redacted-github-token-3","u":"?api_key=redacted-key-1&b=2"}`,
	} {
		if spans := new(Finder).Find([]byte(text)); len(spans) > 0 {
			t.Errorf("%s\nfound %s", text, describe(text, spans))
		}
	}
}

func TestOwn(t *testing.T) {
	f := Finder{Names: []string{"Patient-Name"}, Patterns: []*regexp.Regexp{regexp.MustCompile(`case no\. (\d+)`), regexp.MustCompile(`x{4}`)}}
	text := `{"patientName":"A B","t":"case no. 17, xxxx"}`
	if got := describe(text, f.Find([]byte(text))); got != `"A B" (member patientName), "17" (pattern case no\. (\d+)), "xxxx" (pattern x{4})` {
		t.Error(got)
	}
}

func TestInsideOfSecretMembers(t *testing.T) {
	text := `{"credentials":{"user":"me","list":["a",{"b":"c"}],"n":7},"after":"x"}`
	if got := describe(text, new(Finder).Find([]byte(text))); got != `"me" (member credentials), "a" (member credentials), "c" (member credentials)` {
		t.Error(got)
	}
}

// FuzzFind: spans are in order, do not overlap, and JSON stays JSON when they are
// replaced.
func FuzzFind(f *testing.F) {
	for _, text := range planted() {
		f.Add([]byte(strings.NewReplacer("«", "", "»", "").Replace(text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		spans := new(Finder).Find(text)
		at := 0
		var out []byte
		for _, s := range spans {
			if s.From < at || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%q: spans %v", text, spans)
			}
			out = append(out, text[at:s.From]...)
			out = append(out, "10"...)
			at = s.To
		}
		out = append(out, text[at:]...)
		if valid := json.Valid(text); valid && len(spans) > 0 && !json.Valid(slices.Clone(out)) && !strings.Contains(string(text), `\`) {
			t.Errorf("%q became %q", text, out)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := []byte(`{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"Echo: hello there, this is a result of some length with a few words in it"}],"isError":false}}`)
	b.SetBytes(int64(len(text)))
	f := new(Finder)
	for b.Loop() {
		f.Find(text)
	}
}
