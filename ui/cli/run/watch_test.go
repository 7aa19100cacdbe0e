package run

import (
	"strings"
	"testing"

	"wiretea/recorder/watch"
	"wiretea/session/json/diff"
	"wiretea/ui/cli/term"
)

// TestPlainNews holds what is printed: nothing that a terminal would obey.
func TestPlainNews(t *testing.T) {
	call := watch.Call{Method: "tools/call", Name: "echo\x1b[2J", Answer: watch.Answer{Word: "result", Body: []byte(`{"a":{"k":[1,2]},"t":1,"x":"old\u001b"}`)}}
	for name, c := range map[string]struct {
		news watch.News
		want string
	}{
		"difference": {watch.News{Called: &watch.CallDone{Call: call, Now: watch.Answer{Word: "result", Body: []byte(`{"b":{"k":[1,2]},"t":2,"x":"new"}`)}}},
			"— tools/call echo␛[2J: 3 differences\n  .b\n  + {\n  +   \"k\": [\n  +     1\n  +     2\n  +   ]\n  + }\n  .a\n  − {\n  −   \"k\": [\n  −     1\n  −     2\n  −   ]\n  − }\n  .x\n  − \"old\\u001b\"\n  + \"new\"\n"},
		"same": {watch.News{Called: &watch.CallDone{Call: call, Now: call.Answer}}, "— tools/call echo␛[2J: the same result\n"},
		"none": {watch.News{Called: &watch.CallDone{Call: watch.Call{Method: "ping"}, Now: call.Answer}}, "— ping is answered; no earlier answer to compare with\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			p := plainNews{out: &b, ignore: diff.MustPaths(".t")}
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
