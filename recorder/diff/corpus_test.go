package diff

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session/demo"
	"wiretea/session/jsonrpc"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// conversation are requests to a demo server of either era. %d is the id, %s
// metadata.
var conversation = []string{
	`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`,
	`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"},%s}}`,
	`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"fail",%s}}`,
	`{"jsonrpc":"2.0","id":%d,"method":"resources/list","params":{%s}}`,
	`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"demo://about",%s}}`,
	`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"demo://nothing",%s}}`,
	`{"jsonrpc":"2.0","id":%d,"method":"prompts/list","params":{%s}}`,
}

// play has a conversation with a demo server and records it. Ids begin above from.
func play(t *testing.T, server string, modern bool, from int) recorder.Log {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	said := make(chan string)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		demo.Serve(ctx, server, inR, outW, io.Discard)
		inR.Close()
		outW.Close()
	}()
	go func() {
		defer close(said)
		for lines := bufio.NewScanner(outR); lines.Scan(); {
			said <- lines.Text()
		}
	}()
	var script strings.Builder
	ask := func(line string, id int) {
		script.WriteString("c> " + line + "\n")
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			t.Fatalf("%s does not read: %v", server, err)
		}
		for id > 0 {
			answer, more := <-said
			if !more {
				t.Fatalf("%s ended before it answered %s", server, line)
			}
			script.WriteString("s> " + answer + "\n")
			jsonrpc.Scan([]byte(answer), func(m *jsonrpc.Message) {
				if m.Kind.Response() && string(m.ID.Raw) == fmt.Sprint(id) {
					id = 0
				}
			})
		}
	}
	metadata := fmt.Sprintf(`"_meta":{"progressToken":%d}`, from)
	if modern {
		metadata = strings.Replace(meta, `"progressToken":7`, fmt.Sprintf(`"progressToken":%d`, from), 1)
		ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"server/discover","params":{%s}}`, from+1, metadata), from+1)
	} else {
		ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, from+1), from+1)
		ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0)
	}
	for i, request := range conversation {
		ask(fmt.Sprintf(request, from+2+i, metadata), from+2+i)
	}
	inW.Close()
	for rest := range said {
		script.WriteString("s> " + rest + "\n")
	}
	<-done
	script.WriteString("exit 0\n")
	return recordText(t, script.String())
}

// TestCorpus holds that two sessions with one demo server are called the same, and
// that what its faults do is called by its name.
func TestCorpus(t *testing.T) {
	healthy := map[bool]recorder.Log{}
	for _, modern := range []bool{false, true} {
		healthy[modern] = play(t, "healthy", modern, 0)
	}
	for _, test := range []struct {
		server string
		modern bool
		want   string // want is what the report against the healthy server says, among other things.
	}{
		{"healthy", false, ""},
		{"healthy", true, ""},
		{"legacy", false, ""},
		{"log-line", false, "finding added stdout-not-json"},
		{"log-object", false, "finding added "},
		{"answers-twice", false, "finding added duplicate-response"},
		{"answers-notification", false, "finding added "},
		{"paged", true, "tools removed "},
	} {
		t.Run(fmt.Sprintf("%s, modern %v", test.server, test.modern), func(t *testing.T) {
			first, second := play(t, test.server, test.modern, 0), play(t, test.server, test.modern, 500)
			if r := comparedLogs(t, first, second, Options{}); !r.Same || r.Paired != len(conversation)+1 {
				t.Errorf("two sessions with one server, %d calls paired, differ:\n%s", r.Paired, brief(r))
			}
			r := comparedLogs(t, healthy[test.modern], second, Options{})
			if got := brief(r); (test.want == "") != r.Same || !strings.Contains(got, test.want) {
				t.Errorf("beside the healthy one there differs\n%s\nwant %q", got, test.want)
			}
		})
	}
}
