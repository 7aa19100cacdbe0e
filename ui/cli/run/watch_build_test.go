package run

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"wiretea/ui/cli/term"
)

// TestKeptOutput: the beginning and the end are kept, however it comes.
func TestKeptOutput(t *testing.T) {
	for _, c := range []struct{ size, piece int }{{0, 1}, {100, 7}, {keptHead, keptHead}, {keptHead + keptTail, 1000}, {3 << 20, 4096}, {3 << 20, 3 << 20}, {2 << 20, 500_000}, {keptHead + 2*keptTail, 3}} {
		t.Run(fmt.Sprintf("%d by %d", c.size, c.piece), func(t *testing.T) {
			var all []byte
			for i := 0; len(all) < c.size; i++ {
				all = fmt.Appendf(all, "%d ", i)
			}
			all = all[:c.size]
			k := &keptOutput{}
			for rest := all; len(rest) > 0; {
				n := min(c.piece, len(rest))
				if wrote, err := k.Write(rest[:n]); wrote != n || err != nil {
					t.Fatal(wrote, err)
				}
				rest = rest[n:]
			}
			text, at, cut := k.text()
			whole := append(append(bytes.Clone(text[:at]), all[at:at+int(cut)]...), text[at:]...)
			if !bytes.Equal(whole, all) {
				t.Errorf("%d bytes kept, %d left out at %d, do not make the %d", len(text), cut, at, len(all))
			}
			if c.size > keptHead+keptTail && (at != keptHead || len(text) != keptHead+keptTail) {
				t.Errorf("%d bytes kept, %d of them from the beginning", len(text), at)
			}
		})
	}
}

func TestSides(t *testing.T) {
	for _, c := range []struct {
		old, new callAnswer
		want     string
	}{
		{callAnswer{"result", []byte("1")}, callAnswer{"result", []byte("2")}, "1 2"},
		{callAnswer{"error", []byte("{}")}, callAnswer{"error", []byte("[]")}, "{} []"},
		{callAnswer{"result", []byte("1")}, callAnswer{"error", []byte("{}")}, `{"result":1} {"error":{}}`},
	} {
		a, b := sides(c.old, c.new)
		if got := string(a) + " " + string(b); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestPlainNews holds what is printed: nothing that a terminal would obey.
func TestPlainNews(t *testing.T) {
	call := lastCall{method: "tools/call", name: "echo\x1b[2J", answer: callAnswer{"result", []byte(`{"a":{"k":[1,2]},"t":1,"x":"old\u001b"}`)}}
	for name, c := range map[string]struct {
		news watchNews
		want string
	}{
		"difference": {watchNews{called: &callDone{call: call, now: callAnswer{"result", []byte(`{"b":{"k":[1,2]},"t":2,"x":"new"}`)}}},
			"— tools/call echo␛[2J: 3 differences\n  .b\n  + {\n  +   \"k\": [\n  +     1\n  +     2\n  +   ]\n  + }\n  .a\n  − {\n  −   \"k\": [\n  −     1\n  −     2\n  −   ]\n  − }\n  .x\n  − \"old\\u001b\"\n  + \"new\"\n"},
		"same": {watchNews{called: &callDone{call: call, now: call.answer}}, "— tools/call echo␛[2J: the same result\n"},
		"none": {watchNews{called: &callDone{call: lastCall{method: "ping"}, now: call.answer}}, "— ping is answered; there was no answer before to compare with\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			p := plainNews{out: &b, ignore: (&watchOptions{ignore: []string{".t"}}).patterns()}
			p.tell(c.news)
			if b.String() != c.want {
				t.Errorf("got\n%swant\n%s", b.String(), c.want)
			}
		})
	}
}

func TestWatchFlags(t *testing.T) {
	for name, c := range map[string]struct {
		o    watchOptions
		want string
	}{
		"nothing":             {watchOptions{}, ""},
		"a folder":            {watchOptions{paths: []string{"."}, build: "true", ignore: []string{"..t"}}, ""},
		"a path that is none": {watchOptions{paths: []string{"missing"}}, "--watch: stat missing: "},
		"a build alone":       {watchOptions{build: "make"}, "--build without --watch"},
		"a pattern alone":     {watchOptions{ignore: []string{".t"}}, "--ignore-path without --watch"},
		"a bad pattern":       {watchOptions{paths: []string{"."}, ignore: []string{"t"}}, "--ignore-path: "},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.o.check()
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || term.ExitCode(err) != term.ExitUsage):
				t.Errorf("got %v", err)
			}
		})
	}
}
