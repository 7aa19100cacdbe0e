package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLenient holds what is understood of a server that does not keep to the
// protocol. Each stream answers request 2 with {"n":1}.
func TestLenient(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":2,"result":{"n":1}}`
	const log = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`
	pretty := "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 2,\n  \"result\": {\"n\":1}\n}\n"
	for name, stream := range map[string]string{
		"plain":                             answer + "\n",
		"CRLF":                              answer + "\r\n",
		"no newline":                        answer,
		"no newline, then more later":       answer + "   ",
		"blank lines":                       "\n\r\n  \n" + answer + "\n",
		"log lines":                         "starting…\n[INFO] up\n{not json}\n" + answer + "\n",
		"log objects":                       `{"level":30,"msg":"x"}` + "\n" + answer + "\n",
		"byte order mark":                   "\xef\xbb\xbf" + answer + "\n",
		"binary":                            "\x00\xff\xfe\x01\n" + answer + "\n",
		"invalid UTF-8":                     "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\xff\"}}\n" + answer + "\n",
		"pretty-printed":                    pretty,
		"pretty-printed with CRLF":          strings.ReplaceAll(pretty, "\n", "\r\n"),
		"two pretty-printed":                strings.Replace(pretty, `"id": 2`, `"id": 99`, 1) + pretty,
		"stray brace first":                 "{\n" + answer + "\n",
		"stray bracket first":               "[\n" + answer + "\n",
		"stray string first":                "\"abc\n" + answer + "\n",
		"stray beginning of a pretty value": "{\n \"a\": [\n" + answer + "\n",
		"stray beginning, then pretty":      "{\"a\":\n]\n" + pretty,
		"two on a line":                     log + answer + "\n",
		"two on a line, answer first":       answer + log + "\n",
		"text after the message":            answer + " trailing text\n",
		"batch":                             "[" + log + "," + answer + "]\n",
		"pretty-printed batch":              "[\n" + log + ",\n" + answer + "\n]\n",
		"Content-Length":                    fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(answer), answer),
		"Content-Length, two headers":       fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer),
		"Content-Length after a line":       log + "\n" + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(answer), answer),
		"id as string":                      strings.Replace(answer, `"id":2`, `"id":"2"`, 1) + "\n",
		"id as float":                       strings.Replace(answer, `"id":2`, `"id":2.0`, 1) + "\n",
		"escaped key":                       strings.Replace(answer, `"id"`, `"\u0069d"`, 1) + "\n",
		"result first":                      `{"result":{"n":1},"id":2,"jsonrpc":"2.0"}` + "\n",
		"no jsonrpc":                        `{"id":2,"result":{"n":1}}` + "\n",
		"error:null beside the result":      `{"jsonrpc":"2.0","id":2,"error":null,"result":{"n":1}}` + "\n",
		"answers to others":                 strings.Replace(answer, `"id":2`, `"id":4711`, 1) + "\n" + strings.Replace(answer, `"id":2`, `"id":null`, 1) + "\n" + answer + "\n",
		"twice":                             answer + "\n" + answer + "\n",
	} {
		for _, split := range []string{"whole", "bytes"} {
			t.Run(name+"/"+split, func(t *testing.T) {
				r := io.Reader(strings.NewReader(stream))
				if split == "bytes" {
					r = iotest.OneByteReader(r)
				}
				if got := answersTo(t, "2", r); got != `{"n":1}` {
					t.Errorf("got %q of\n%q", got, stream)
				}
			})
		}
	}
}

// deaf returns a client that nobody reads for and that writes to nobody.
func deaf(t testing.TB) *Client {
	c, err := newClient(Config{})
	if err != nil {
		t.Fatal(err)
	}
	c.out = newWriter(discard{}, NDJSON, func(error) {})
	return c
}

// answersTo returns the result that a client takes from a stream for request id.
func answersTo(t testing.TB, id string, stream io.Reader) string {
	c := deaf(t)
	p, err := c.registerLocked(&operation{}, id, "x")
	if err != nil {
		t.Fatal(err)
	}
	c.receive(stream)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return string((<-p.done).result)
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// TestLongMessage holds that a long answer is taken, and that memory for noise is
// not kept.
func TestLongMessage(t *testing.T) {
	long := strings.Repeat("x", 20<<20)
	noise := "noise " + long + "\n"
	message := `{"jsonrpc":"2.0","id":2,"result":{"s":"` + long + `"}}` + "\n"
	if got := answersTo(t, "2", strings.NewReader(noise+message)); len(got) != len(long)+8 {
		t.Errorf("got %d bytes", len(got))
	}
	var in receiver
	in.scan.Reset(in.message)
	in.split.Push([]byte(noise), in.piece)
	if cap(in.text) > keepSize {
		t.Errorf("%d bytes kept", cap(in.text))
	}
}

// TestTooLong holds that an answer too long to be kept is an answer anyway,
// and that the next one is read.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", maxText)
	c := deaf(t)
	var waiting []*pending
	for _, id := range []string{"2", `"b"`, "3"} {
		p, err := c.registerLocked(&operation{}, id, "x")
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, p)
	}
	c.receive(strings.NewReader(`{"jsonrpc":"2.0","id":2,"result":{"s":"` + long + `"}}` + "\n" +
		`{"result":{"s":"` + long + `"},"id":"b","jsonrpc":"2.0"}` + "\n" + `{"jsonrpc":"2.0","id":3,"result":{}}` + "\n"))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range waiting[:2] {
		if a := <-p.done; !errors.Is(a.err, ErrTooLong) || a.result != nil {
			t.Errorf("id %s: %v, %d bytes", p.id, a.err, len(a.result))
		}
	}
	if a := <-waiting[2].done; a.err != nil || string(a.result) != "{}" {
		t.Errorf("the answer behind them: %v, %s", a.err, a.result)
	}
}

// TestNotTaken holds what is not taken for an answer.
func TestNotTaken(t *testing.T) {
	for _, stream := range []string{
		`{"jsonrpc":"2.0","id":3,"result":{"n":1}}`,
		`{"jsonrpc":"2.0","id":"2x","result":{"n":1}}`,
		`{"jsonrpc":"2.0","id":2.5,"result":{"n":1}}`,
		`{"jsonrpc":"2.0","id":[2],"result":{"n":1}}`,
		`{"jsonrpc":"2.0","result":{"n":1}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"n":1}`,
		`{"params":{"jsonrpc":"2.0","id":2,"result":{"n":1}}}`,
	} {
		if got := answersTo(t, "2", strings.NewReader(stream+"\n")); got != "" {
			t.Errorf("%s: got %s", stream, got)
		}
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte("{\n\"jsonrpc\":\"2.0\",\n\"id\":2,\"result\":{}}\n"), 3)
	f.Add([]byte("Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}"), 7)
	f.Add([]byte("[\n{\"id\":1,\"method\":\"ping\"},{\"id\":2,\"error\":{}}]{\n"), 1)
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		size = min(max(size, 1), 1<<10)
		// However the stream is split, the same is understood.
		whole := answersTo(t, "2", bytes.NewReader(stream))
		split := answersTo(t, "2", readerOf(func(p []byte) (int, error) {
			n := copy(p[:min(size, len(p))], stream)
			stream = stream[n:]
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		}))
		if whole != split {
			t.Errorf("whole %q, split %q", whole, split)
		}
	})
}

type readerOf func(p []byte) (int, error)

func (r readerOf) Read(p []byte) (int, error) { return r(p) }

func BenchmarkReceive(b *testing.B) {
	for _, size := range []int{200, 10_000, 1_000_000} {
		line := `{"jsonrpc":"2.0","id":9,"result":{"s":"` + strings.Repeat("x", size) + `"}}` + "\n"
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			n := 0
			c, err := newClient(Config{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			c.receive(readerOf(func(p []byte) (int, error) {
				got := copy(p, line[n%len(line):])
				n += got
				if n >= len(line)*b.N {
					return got, io.EOF
				}
				return got, nil
			}))
		})
	}
}
