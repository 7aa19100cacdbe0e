//go:build unix

package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/decide"
	"wiretea/session/decide/policy"
)

// yesterday writes a recording with answers to calls of n, and returns its folder.
func yesterday(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := recording(t, after(
		"→ "+call("1", "n", `,"arguments":{"a":1}`), `← {"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`,
		"→ "+call("2", "n", `,"arguments":{"a":1}`), `← {"jsonrpc":"2.0","id":2,"result":{"n":2}}`,
		"→ "+call("3", "n", `,"arguments":{"a":2}`), `← {"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`,
		"→ "+call("4", "m", ""))...)
	if err := os.WriteFile(filepath.Join(dir, "y"+recorder.Suffix), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openPolicy opens a policy that answers the calls of n and m from a recording.
func openPolicy(t *testing.T, dir, from, onError string) (*policy.File, error) {
	t.Helper()
	file := filepath.Join(dir, "policy.toml")
	text := fmt.Sprintf("on_error = %q\n[[rule]]\nid = \"y\"\nfilter = \"m:tools/call | m:notifications/x\"\naction = \"respond\"\nfrom = %q\n", onError, from)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return policy.Open(file, ForPolicy)
}

// TestPolicyFrom holds what a policy answers from a recording, and that on_error decides where
// it has no answer.
func TestPolicyFrom(t *testing.T) {
	dir := yesterday(t)
	for _, onError := range []string{"open", "closed"} {
		p, err := openPolicy(t, dir, "y"+recorder.Suffix, onError)
		if err != nil {
			t.Fatal(err)
		}
		var path decide.Path
		path.Use(p)
		for _, c := range []struct{ request, back string }{
			{call(`"x"`, "n", `,"arguments":{"a":1.0}`), `{"jsonrpc":"2.0","id":"x","result":{"n":1.0}}`},
			{call("8", "n", `,"arguments":{"a":1}`), `{"jsonrpc":"2.0","id":8,"result":{"n":2}}`},
			{call("9", "n", `,"arguments":{"a":1}`), `{"jsonrpc":"2.0","id":9,"result":{"n":2}}`},
			{call("9", "n", `,"arguments":{"a":2}`), `{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}`},
			{`{"jsonrpc":"2.0","method":"notifications/x"}`, ""},
		} {
			r := path.Text(1, session.C2S, []byte(c.request))
			back := ""
			if len(r.Back) == 1 {
				back = string(r.Back[0])
			}
			if r.By != "policy: y" || r.Pass || len(r.Text) > 0 || back != c.back || r.Denied > 0 && c.back != "" {
				t.Errorf("%s: %+v, %s", c.request, r, back)
			}
		}
		for _, request := range []string{call("9", "n", `,"arguments":{"a":3}`), call("9", "m", "")} {
			r := path.Text(1, session.C2S, []byte(request))
			if r.By != "policy: on_error (y)" || r.Pass != (onError == "open") || len(r.Back) != r.Denied ||
				onError == "closed" && !strings.Contains(string(r.Back[0]), "the recording has no answer to such a request") {
				t.Errorf("%s: %s: %+v", onError, request, r)
			}
		}
	}
}

// TestPolicyFromBad holds that a recording that cannot be used is an error of one line.
func TestPolicyFromBad(t *testing.T) {
	dir := yesterday(t)
	good, err := os.ReadFile(filepath.Join(dir, "y"+recorder.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(good), "\n")
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"missing": {func(string) error { return nil }, "no such file"},
		"folder":  {func(path string) error { return os.Mkdir(path, 0o700) }, "it is not a regular file"},
		"pipe":    {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "it is not a regular file"},
		"huge": {func(path string) error {
			if err := os.WriteFile(path, good, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 1<<30)
		}, "it has more than 64 MiB"},
		"text":       {func(path string) error { return os.WriteFile(path, []byte("hello\n"), 0o600) }, "not a session file"},
		"nothing":    {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "not a session file"},
		"only head":  {func(path string) error { return os.WriteFile(path, []byte(head+"\n"), 0o600) }, "nothing was recorded"},
		"broken":     {func(path string) error { return os.WriteFile(path, []byte(string(good)+"{]\n{]\n"), 0o600) }, "2 of its lines are damaged"},
		"packed.gz":  {func(path string) error { return os.WriteFile(path, good, 0o600) }, "it is compressed"},
		"unreadable": {func(path string) error { return os.Symlink(path, path) }, "too many levels"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.make(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			_, err := openPolicy(t, dir, name, "open")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") ||
				!strings.Contains(err.Error(), `rule "y": from = "`+name+`": `) || strings.Count(err.Error(), name) != 1 {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestPolicyFromBusy holds that a recording answers while several goroutines ask, and while
// the policy is replaced.
func TestPolicyFromBusy(t *testing.T) {
	dir := yesterday(t)
	p, err := openPolicy(t, dir, "y"+recorder.Suffix, "closed")
	if err != nil {
		t.Fatal(err)
	}
	changes := make(chan session.PathEvent)
	if err := p.Watch(t.Context(), func(ev session.PathEvent) {
		select {
		case changes <- ev:
		case <-t.Context().Done():
		}
	}); err != nil {
		t.Fatal(err)
	}
	var path decide.Path
	path.Use(p)
	stop := make(chan struct{})
	var asking sync.WaitGroup
	for conn := range 4 {
		asking.Go(func() {
			for {
				r := path.Text(conn, session.C2S, []byte(call("1", "n", `,"arguments":{"a":1}`)))
				if len(r.Back) != 1 || !strings.Contains(string(r.Back[0]), `"result":{"n":`) {
					t.Errorf("%+v", r)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	file := filepath.Join(dir, "policy.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"# one\n", "# one more\n"} {
		if err := os.WriteFile(file+".new", append(text, more...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		if ev := <-changes; ev.Event != "changed" {
			t.Errorf("%+v", ev)
		}
	}
	close(stop)
	asking.Wait()
}
