package redact_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"wiretea/recorder"
	"wiretea/recorder/redact"
	"wiretea/recorder/redact/redacttest"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/secrets"
)

// redacted returns a file without its secrets, and what was replaced.
func redacted(t *testing.T, file []byte, opt redact.Options) ([]byte, []redact.Kind) {
	t.Helper()
	r, err := redact.Learn(t.Context(), logOf(t, file), opt)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), r.Summary()
}

// writings are the ways in which a secret may still be in a file.
func writings(secret string) []string {
	quoted, _ := json.Marshal(secret)
	once := strings.Trim(string(quoted), `"`)
	quoted, _ = json.Marshal(once)
	return []string{secret, once, strings.Trim(string(quoted), `"`)}
}

func TestPlanted(t *testing.T) {
	file, planted := redacttest.Session()
	if len(planted) < 50 {
		t.Errorf("only %d secrets", len(planted))
	}
	got, summary := redacted(t, file, redact.Options{})
	for _, s := range planted {
		for _, w := range writings(s) {
			if i := bytes.Index(got, []byte(w)); i >= 0 {
				t.Errorf("%q is left: %q", w, got[max(0, i-150):min(len(got), i+50)])
				break
			}
		}
	}
	if len(summary) < 20 {
		t.Errorf("summary %v", summary)
	}
	for _, k := range summary {
		for _, s := range planted {
			if strings.Contains(k.Name, s) {
				t.Errorf("the summary gives %q away", s)
			}
		}
	}
	if left := scan(t, got); len(left) > 0 {
		t.Errorf("scan finds %v", left)
	}
	again, summary := redacted(t, got, redact.Options{})
	if len(summary) > 0 || bytes.Count(again, []byte("redacted-")) != bytes.Count(got, []byte("redacted-")) {
		t.Errorf("redacted again: %v", summary)
	}
}

func scan(t *testing.T, file []byte) (all []redact.Place) {
	t.Helper()
	r, err := redact.Learn(t.Context(), logOf(t, file), redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Scan(t.Context(), func(p redact.Place) { all = append(all, p) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSame: records, their numbers and times, pairing, forms and shapes are those of
// the original.
func TestSame(t *testing.T) {
	file, _ := redacttest.Session()
	got, _ := redacted(t, file, redact.Options{})
	if diff := cmp.Diff(skeleton(t, file), skeleton(t, got)); diff != "" {
		t.Errorf("-original +redacted\n%s", diff)
	}
	was, is := analysed(t, file), analysed(t, got)
	for i := range uint32(max(was.Len(), is.Len())) {
		a, b := was.Row(i), is.Row(i)
		if a.Pair != b.Pair || a.Kind != b.Kind || a.Op != b.Op || was.Name(a.Method) != is.Name(b.Method) || was.ID(a) != is.ID(b) {
			t.Errorf("row %d: %v %v, was %v %v", i, b, is.Name(b.Method), a, was.Name(a.Method))
		}
	}
	if a, b := was.Totals().Exchanges, is.Totals().Exchanges; a != b || a < 50 {
		t.Errorf("%d exchanges, were %d", b, a)
	}
	end, now := is.End().Bytes, is.Totals().Bytes
	if sum := now[0] + now[1] + now[2]; end != sum {
		t.Errorf("the end record says %d bytes, there are %d", end, sum)
	}
}

// TestDistinct: frames that were equal are equal, and those that differed differ: a
// server that is mocked still finds its answers.
func TestDistinct(t *testing.T) {
	file, _ := redacttest.Session()
	got, _ := redacted(t, file, redact.Options{})
	was, is := bodiesOf(t, file), bodiesOf(t, got)
	if len(was) != len(is) || len(was) < 100 {
		t.Fatalf("%d bodies, were %d", len(is), len(was))
	}
	there, back := map[string]string{}, map[string]string{}
	for i := range was {
		if other, known := there[was[i]]; known && other != is[i] {
			t.Errorf("%s became %s and %s", was[i], other, is[i])
		}
		if other, known := back[is[i]]; known && other != was[i] && strings.HasPrefix(is[i], "{") {
			t.Errorf("%s and %s both became %s", was[i], other, is[i])
		}
		there[was[i]], back[is[i]] = is[i], was[i]
	}
}

func analysed(t *testing.T, file []byte) *session.Snapshot {
	t.Helper()
	a := session.NewAnalyzer(session.Config{})
	f := recorder.Follower{Log: logOf(t, file), Analyzer: a, Once: true}
	if err := f.Run(t.Context()); err != nil || f.Damage.Lines > 0 {
		t.Fatal(err, f.Damage)
	}
	return a.Snapshot()
}

// skeleton is each record without what redacting changes: the shape of its JSON.
func skeleton(t *testing.T, file []byte) (all []string) {
	t.Helper()
	for line := range bytes.Lines(file) {
		var record map[string]any
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for _, name := range []string{"sid", "sock", "redacted", "len", "bytes"} {
			delete(record, name)
		}
		text, _ := json.Marshal(shape(record))
		all = append(all, string(text))
	}
	return all
}

// shape keeps names, types, and short words.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = shape(v[k])
		}
	case []any:
		for i := range v {
			v[i] = shape(v[i])
		}
	case string:
		return "string"
	case float64:
		return "number"
	}
	return v
}

func TestScan(t *testing.T) {
	file, planted := redacttest.Session()
	places := scan(t, file)
	want := map[redact.Place]bool{
		{Record: "header", Path: ".cmd[3]", Kind: "flag api-key"}:                                              true,
		{Record: "header", Path: ".cwd", Kind: "user"}:                                                         true,
		{N: 7, Record: "frame", Path: ".params.arguments.password", Kind: "member password"}:                   true,
		{N: 8, Record: "frame", Stream: session.S2C, Path: ".result.content[0].text", Kind: "member password"}: true,
	}
	for _, p := range places {
		delete(want, p)
		for _, s := range planted {
			if strings.Contains(p.Path+p.Kind, s) {
				t.Errorf("%v gives %q away", p, s)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v\nfound: %v", want, places[:20])
	}
}

// TestOwn: a user's paths, names and patterns.
func TestOwn(t *testing.T) {
	file := sessionOf(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"who":"Ada Lovelace","n":[1,"two"],"t":"case 4711\nof Ada Lovelace","patient":"Bob"}}}`)
	path, err := diff.ParsePath("..arguments.who")
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := diff.ParsePath("..n")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := redacted(t, file, redact.Options{
		Finder: &secrets.Finder{Names: []string{"patient"}, Patterns: compile(t, `case \d+.nof`)},
		Paths:  []diff.Path{path, numbers},
	})
	for _, s := range []string{"Ada", "two", "Bob", "4711"} {
		if bytes.Contains(got, []byte(s)) {
			t.Errorf("%s is left in %s", s, got)
		}
	}
	body := bodyOf(t, got)
	if !json.Valid(body) || !bytes.Contains(body, []byte(`"n":[9090909`)) || bytes.Count(body, []byte("redacted-chosen-path-value-1")) != 2 {
		t.Errorf("%s", body)
	}
}

// TestContentLength: where frames are announced by their length it stays.
func TestContentLength(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"token":"a","password":"some longer secret of mine, longer than a placeholder"}}}`
	file := header + `{"k":"f","n":1,"t":1,"d":"c2s","len":19,"e":"\r\n\r\n","s":"Content-Length: 155"}` + "\n" +
		`{"k":"f","n":2,"t":2,"d":"c2s","len":` + lenOf(body) + `,"e":"","b":` + body + "}\n"
	got, _ := redacted(t, []byte(file), redact.Options{})
	if now := bodyOf(t, got); len(now) != len(body) || bytes.Contains(now, []byte("longer secret")) || !json.Valid(now) {
		t.Errorf("%d bytes of %d: %s", len(now), len(body), now)
	}
	if left := scan(t, got); len(left) > 0 {
		t.Errorf("scan finds %v", left)
	}
}

// FuzzRedact: whatever a session holds, its copy can be read and is of as many
// records, UTF-8 stays UTF-8, JSON in UTF-8 keeps its shape, and of JSON the copy of a copy is
// the copy.
func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"password":"abcdefgh"}`), []byte("abcdefgh again"))
	f.Add([]byte(`{"token":"x\u00e9\"y"`), []byte("\xff ghp_"+redacttest.Letters(40)))
	for i, s := range redacttest.Corpus("secrets") {
		f.Add([]byte(nested(s.Text, 1+i%3, &spellings[i%len(spellings)], &least)), []byte(s.Text))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		file := []byte(header)
		for i, b := range [][]byte{one, two, one} {
			kind := []string{"f", "raw", "f"}[i]
			body := `"x":"` + base64.StdEncoding.EncodeToString(b) + `"`
			if i == 0 && len(b) > 0 && b[0] == '{' && json.Valid(b) && bytes.IndexByte(b, '\n') < 0 && utf8.Valid(b) {
				body = `"b":` + string(b)
			}
			file = fmt.Appendf(file, `{"k":"%s","n":%d,"t":1,"d":"s2c","len":%d,%s}`+"\n", kind, i+1, len(b), body)
		}
		got, _ := redacted(t, file, redact.Options{})
		if a, b := len(skeleton(t, file)), len(skeleton(t, got)); a != b {
			t.Errorf("%d records, were %d", b, a)
		}
		analysed(t, got)
		for i, was := range bodiesOf(t, file) {
			is := bodiesOf(t, got)[i]
			if utf8.ValidString(was) && !utf8.ValidString(is) {
				t.Errorf("%q became %q", was, is)
			}
			if i == 0 && utf8.ValidString(was) && json.Valid([]byte(was)) && shapeOf(was) != shapeOf(is) {
				t.Errorf("%s became %s", was, is)
			}
		}
		if !json.Valid(one) || !json.Valid(two) {
			return // What is cut within a secret may look like another one, beside a placeholder.
		}
		again, summary := redacted(t, got, redact.Options{})
		if len(summary) > 0 {
			t.Errorf("redacted again: %v\n%s\nof %s", summary, again, got)
		}
	})
}

// shapeOf is the shape of a JSON text: its brackets, and the types of names and values. A
// secret may be in a name too.
func shapeOf(text string) string {
	var out strings.Builder
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err != nil {
			return out.String() + err.Error()
		}
		if delim, ok := token.(json.Delim); ok {
			out.WriteString(delim.String())
		} else {
			fmt.Fprintf(&out, "%T ", token)
		}
	}
}

// TestBrokenOff: where a raw record breaks off within a list of secrets, the frame behind it
// is another line, unless what is between them is missing.
func TestBrokenOff(t *testing.T) {
	const raw = `{"k":"raw","n":1,"t":1,"d":"s2c","s":"{\"recovery_codes\":[\"ab12-cd34\",\"ef56-g"}` + "\n"
	for name, tt := range map[string]struct{ between, body, want string }{
		"another line": {"", `ready "to serve" tea`, `ready "to serve" tea`},
		"a known one":  {"", `ab12-cd34 "to serve" tea`, `redacted-recovery-codes-value-1 "to serve" tea`},
		"a gap":        {`{"k":"gap","n":2,"t":1,"d":"s2c","bytes":3,"why":"memory"}` + "\n", `h78"]}`, `redacted-recovery-codes-value-2"]}`},
		"damage":       {"{torn\n", `h78"]}`, `redacted-recovery-codes-value-2"]}`},
	} {
		body, _ := json.Marshal(tt.body)
		got, _ := redacted(t, fmt.Appendf(nil, `%s%s%s{"k":"f","n":3,"t":2,"d":"s2c","len":%d,"s":%s}`+"\n", header, raw, tt.between, len(tt.body), body), redact.Options{})
		if is := string(bodyOf(t, got)); is != tt.want || bytes.Contains(got, []byte("ab12")) || bytes.Contains(got, []byte("ef56")) {
			t.Errorf("%s: the frame is %q, want %q, in\n%s", name, is, tt.want, got)
		}
	}
}

// TestInterrupted: a recording of few records, each of them long, is left as soon as it
// is asked for.
func TestInterrupted(t *testing.T) {
	file := []byte(header)
	for n := range 200 {
		text := strings.Repeat("the quick brown fox ", 10_000)
		file = fmt.Appendf(file, `{"k":"raw","n":%d,"t":1,"d":"s2c","len":%d,"s":"%s"}`+"\n", n+1, len(text), text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	passed := int64(0)
	_, err := redact.Learn(ctx, logOf(t, file), redact.Options{Moved: func(done, _ int64) {
		if done > 2<<20 {
			cancel()
		}
		passed = done
	}})
	if !errors.Is(err, context.Canceled) || passed > 8<<20 {
		t.Errorf("%v after %d of %d bytes", err, passed, len(file))
	}
}
