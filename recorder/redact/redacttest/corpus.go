package redacttest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed secrets.txt harmless.txt
var corpora embed.FS

// A Sample is one text of a corpus.
type Sample struct {
	Class, Text string
	Marks       []Mark // Marks are the secrets in it; none in a harmless text.
}

// A Mark is where a secret is: Text[From:To].
type Mark struct{ From, To int }

// Corpus returns the texts of a corpus, secrets or harmless. Templates are filled with
// the same characters each time.
func Corpus(name string) (all []Sample) {
	file, err := corpora.ReadFile(name + ".txt")
	if err != nil {
		panic(err) // The caller's mistake.
	}
	for n, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		class, text, ok := strings.Cut(line, "\t")
		if !ok {
			continue // a comment
		}
		s := Sample{Class: class}
		text = filled(rand.New(rand.NewPCG(uint64(n), 7)), text)
		if text[0] != '{' && text[0] != '[' {
			text = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\e`, "\x1b").Replace(text)
		}
		for {
			before, rest, found := strings.Cut(text, "«")
			s.Text += before
			if !found {
				break
			}
			var secret string
			secret, text, _ = strings.Cut(rest, "»")
			s.Marks = append(s.Marks, Mark{len(s.Text), len(s.Text) + len(secret)})
			s.Text += secret
		}
		all = append(all, s)
	}
	return all
}

var template = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(an|up|low|let|hex|dig|b64|url|word)(\d+)\}`) })

var alphabets = map[string]string{
	"an": digits10 + lowers26 + uppers26, "up": digits10 + uppers26, "low": digits10 + lowers26, "let": lowers26 + uppers26, "hex": digits10 + "abcdef", "dig": digits10,
	"b64": digits10 + lowers26 + uppers26 + "+/", "url": digits10 + lowers26 + uppers26 + "-_", "word": digits10 + lowers26 + uppers26 + "-_",
}

const (
	digits10 = "0123456789"
	lowers26 = "abcdefghijklmnopqrstuvwxyz"
	uppers26 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// filled fills the templates of a text.
func filled(r *rand.Rand, text string) string {
	text = template().ReplaceAllStringFunc(text, func(m string) string {
		parts := template().FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[2])
		set := alphabets[parts[1]]
		var out []byte
		for range n {
			out = append(out, set[r.IntN(len(set))])
		}
		if parts[1] != "let" && parts[1] != "dig" {
			out[n/2] = digits10[r.IntN(10)]
		}
		if n > 2 && (parts[1] == "word" || parts[1] == "url" || parts[1] == "b64") { // no sign at the ends
			out[0], out[n-1] = 'a', 'Z'
		}
		return string(out)
	})
	for {
		at := max(strings.LastIndex(text, "{base64:"), strings.LastIndex(text, "{gzip:"))
		if at < 0 {
			return text
		}
		colon := at + strings.IndexByte(text[at:], ':')
		end := colon + 1
		for depth := 1; depth > 0; end++ {
			switch text[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		text = text[:at] + coded(text[at+1:colon], text[colon+1:end-1]) + text[end:]
	}
}

// coded is a text in base64 or zipped; zipped bytes are kept from being text by base64
// around them.
func coded(how, text string) string {
	if how == "base64" {
		return base64.StdEncoding.EncodeToString([]byte(text))
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return out.String()
}

// Everything returns a session file in which each text of the corpus of secrets is
// in a call, in its answer and on stderr.
func Everything() []byte {
	p := &planter{}
	p.line(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"8f14e45fceea167a5a36dedd4bea2543","tool":"wiretea/0.1.0","t0":"2026-11-20T10:00:00.000000000Z","mode":"tee","tr":"stdio","cmd":["node","server.js"]}`)
	p.handshake()
	for i, s := range Corpus("secrets") {
		text, _ := json.Marshal(s.Text)
		p.exchange(i+10, `{"text":`+string(text)+`}`)
		p.frame("err", "", s.Text)
	}
	p.line(`{"k":"end","n":%d,"t":%d,"frames":` + fmt.Sprint(p.frames) + `,"bytes":` + fmt.Sprint(p.bytes) + `,"lost":0,"why":"exit"}`)
	return []byte(p.out.String())
}
