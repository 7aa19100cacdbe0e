//go:build unix

package capture

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
)

// reasons are the events of the process starts in a log, in its order: those of the second
// start and later ones say why.
func reasons(t *testing.T, log recorder.Log) (all []string) {
	t.Helper()
	reader := recorder.NewReader(log, 0)
	for {
		var rec session.Record
		if err := reader.Next(&rec); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == session.RecProc && rec.Proc.Event == "start" {
			all = append(all, rec.Proc.Why)
		}
	}
}

// TestReasons holds that the record says why a server is started once more: because it exited
// on the probe, and because somebody asked for it, or for another reason.
func TestReasons(t *testing.T) {
	const server = `read -r line
case "$line" in *discover*) exit 1;; esac
id=${line#*'"id":'}; id=${id%%,*}
echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
cat > /dev/null`
	r, err := New(Config{Server: &Process{Argv: []string{"sh", "-c", server}}, Client: client.Config{Era: client.Auto}, Warn: io.Discard, Record: Record{None: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if _, err := r.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.RestartFor(t.Context(), "a.go has changed"); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(context.Background(), "eof"); err != nil {
		t.Error(err)
	}
	got := strings.Join(reasons(t, r.Log()), ", ")
	if want := ", " + afterProbe + ", " + askedFor + ", " + afterProbe + ", a.go has changed, " + afterProbe; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
