//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wiretea/session"
)

// oddBytes is what no parser likes.
const oddBytes = "{\"jsonrpc\":\"2.0\" , \"id\":1.0,\"id\":2,\"method\":\"ping\"}\r\n\n\xff\xfe\x00\r\r\n\ufeff{\"a\":\"\u2028\"}\nno newline"

// TestTeeIsTransparent compares servers behind a tee with the same ones without
// it, and the recording with what crossed the wire.
func TestTeeIsTransparent(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]string{
		"odd bytes":          "cat; printf 'a\\377\\r\\nb' >&2",
		"exit code":          "cat; exit 37",
		"nothing":            "exit 0",
		"killed":             "cat; kill -KILL $$",
		"crashed":            "ulimit -c 0; cat; kill -SEGV $$",
		"terminated":         "cat; kill -TERM $$",
		"last answers":       "x=$(cat; echo .); echo \"got ${#x}\"; echo bye >&2; exit 2",
		"stdout closed":      "echo first; exec 1>&-; cat >&2; exit 5",
		"stdin closed":       "exec 0<&-; echo said; exit 6",
		"both closed":        "exec 0<&- 1>&- 2>&-; exit 7",
		"environment":        "env | grep -v -e '^_=' | sort; pwd; umask; ulimit -n; cat",
		"an inherited fd":    "echo through >&3; cat",
		"writes in one go":   "head -c 300000 /dev/zero; cat",
		"writes to a closed": "exec 0<&-; sleep 0; echo ok",
	} {
		for _, sockets := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sockets=%v", name, sockets), func(t *testing.T) {
				t.Parallel()
				o := peerOptions{sockets: sockets}
				want := startPeer(t, o, "sh", "-c", server).talk([]byte(oddBytes))
				p := startTee(t, o, "sh", "-c", server)
				got := p.talk([]byte(oddBytes))
				if got != want {
					t.Errorf("behind the tee: %+v\nwithout it:     %+v", got, want)
				}
				for stream, want := range map[string]string{"s2c": want.out, "stderr": want.err} {
					if got := recorded(t, p.file, stream); got != want {
						t.Errorf("%s is recorded as %q, it was %q", stream, got, want)
					}
				}
				if in := recorded(t, p.file, "c2s"); !strings.HasPrefix(oddBytes, in) {
					t.Errorf("c2s is recorded as %q", in)
				}
				records := recording(t, p.file)
				if first := records[0].Header; first.Mode != "tee" || first.PPID != os.Getpid() || len(first.EnvKeys) > 0 {
					t.Errorf("header %+v", first)
				}
				if last := records[len(records)-1]; last.Kind != session.RecEnd || last.End.Lost > 0 {
					t.Errorf("the last record is %+v", last)
				}
			})
		}
	}
}

// TestTeeKeepsKinds gives a server what it would have been given, and leaves the
// client's descriptors as they were.
func TestTeeKeepsKinds(t *testing.T) {
	for _, sockets := range []bool{false, true} {
		t.Run(fmt.Sprint(sockets), func(t *testing.T) {
			t.Parallel()
			o := peerOptions{sockets: sockets, keep: true}
			want := startPeer(t, peerOptions{sockets: sockets}, "teepeer", "kinds").talk([]byte{})
			p := startTee(t, o, "teepeer", "kinds")
			p.wantDead()
			for _, f := range p.theirs {
				conn, err := f.SyscallConn()
				if err != nil {
					t.Fatal(err)
				}
				if err := conn.Control(func(fd uintptr) {
					flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0)
					if flags&syscall.O_NONBLOCK != 0 {
						t.Error("the client's end does not block any more")
					}
				}); err != nil {
					t.Error(err)
				}
				f.Close()
			}
			if got := p.rest(); got != want || strings.Contains(got.out, "true") {
				t.Errorf("behind the tee: %+v\nwithout it:     %+v", got, want)
			}
		})
	}
}

// TestTeeCannotStart is when a tee says something.
func TestTeeCannotStart(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	writeFile(t, text, "hello")
	for command, code := range map[string]int{"no-such-server": 127, "./no/such/server": 127, text: 126, dir: 126} {
		p := startTee(t, peerOptions{}, command)
		if got := p.talk(nil); got.code != code || got.out != "" || !strings.Contains(got.err, "wiretea: starting") || strings.Contains(got.err, "PATH is") != (command == "no-such-server") {
			t.Errorf("%s: %+v", command, got)
		}
		records := recording(t, p.file)
		if len(records) != 3 || records[1].Proc.Event != "failed" || strings.Contains(records[1].Proc.Err, "PATH is") || records[2].End.Why != "error" {
			t.Errorf("%s: %+v", command, records)
		}
	}
}

// TestTeeFewFiles starts a tee that may open hardly any files.
func TestTeeFewFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	for limit := 14; limit < 60; limit += 4 {
		got := startPeer(t, peerOptions{}, "sh", "-c", fmt.Sprintf(`ulimit -n %d; exec wiretea tee --record "$0" -- cat`, limit), file).talk([]byte("hi\n"))
		if got.code == 0 && got.out == "hi\n" && got.err == "" {
			if limit == 14 {
				t.Error("14 files are enough")
			}
			return
		}
		if got.code != 126 || got.out != "" || !strings.Contains(got.err, "too many open files") || strings.Count(got.err, "too many") != 1 {
			t.Errorf("at most %d files: %+v", limit, got)
		}
		records := recording(t, file)
		if len(records) != 3 || records[1].Proc.Event != "failed" || records[2].End.Why != "error" {
			t.Errorf("at most %d files: %+v", limit, records)
		}
		os.Remove(file)
	}
	t.Error("60 files are not enough")
}
