//go:build unix

package transport

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serverEnv names the part that a re-executed test binary plays.
const serverEnv = "WIRETEA_TEST_SERVER"

// depthEnv counts how deep a server stands below the test, so that no mistake
// here can start servers without end.
const depthEnv = "WIRETEA_TEST_DEPTH"

// TestMain plays a server where the environment says so.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == guardPart {
		os.Exit(Guard(os.Args[2:]))
	}
	if part := os.Getenv(serverEnv); part != "" {
		if len(os.Getenv(depthEnv)) > 2 {
			fmt.Fprintln(os.Stderr, "servers start servers")
			os.Exit(97)
		}
		// Whatever a test does wrong, no server stays behind for ever.
		time.AfterFunc(2*patience, func() { os.Exit(99) })
		play, ok := servers[part]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such part:", part)
			os.Exit(98)
		}
		play()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	guardPart = "guard" // guardPart is the first argument of this program as a guard.

	chatter = 50 << 20
	lines   = 1_000_000
)

// servers are the parts: each a healthy or a bad server.
var servers = map[string]func(){
	"echo":   func() { echo(0, 1, 1<<20) },
	"exit 3": func() { fmt.Println("bye"); os.Exit(3) },
	"ignore eof": func() {
		fmt.Println("ready")
		select {}
	},
	"ignore sigterm": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	},
	"stopped": func() {
		fmt.Println("ready")
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		select {}
	},
	"chatter": func() {
		line := bytes.Repeat([]byte("a line of stderr "), 64)
		for n := 0; n < chatter; n += len(line) {
			os.Stderr.Write(line[:min(len(line), chatter-n)])
		}
		fmt.Println("done")
	},
	"close stdout": func() {
		fmt.Println("closing")
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
	},
	"close stdin": func() {
		os.Stdin.Close()
		fmt.Println("closed")
		select {}
	},
	"flood": func() {
		sum, out := sha256.New(), bufio.NewWriter(os.Stdout)
		both := io.MultiWriter(sum, out)
		for i := range lines {
			fmt.Fprintf(both, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"odd\":  1.0}}\r\n", i)
		}
		out.Flush()
		fmt.Fprintf(os.Stderr, "%x\n", sum.Sum(nil))
	},
	"leave a child": func() { leave(&syscall.SysProcAttr{}, "left") },
	"leave a child that ignores sigterm in another group": func() {
		leave(&syscall.SysProcAttr{Setpgid: true}, "left, ignoring sigterm")
	},
	"leave a child in another session": func() { leave(&syscall.SysProcAttr{Setsid: true}, "left") },
	"left":                             left,
	"left, ignoring sigterm": func() {
		signal.Ignore(syscall.SIGTERM)
		left()
	},
	"a tee whose signals come late": lateSignals,
	"last words": func() {
		io.Copy(io.Discard, os.Stdin)
		fmt.Println("last words")
	},
}

// lateSignals is a tee that receives signals only once its start waits for that. It exits with
// 4 where what the server writes is forwarded before.
func lateSignals() {
	starts := regexp.MustCompile(`(?m)^goroutine \d+ \[(.*)\]:\n(.*)transport\.\(\*Tee\)\.Start\(`)
	t := &Tee{Command: command("exit 3"), Tap: NewTap(time.Now(), TapConfig{})}
	looked := make(chan struct{})
	t.catching = func(signals chan<- os.Signal) {
		defer close(looked)
		stack := make([]byte, 1<<20)
		for {
			all := stack[:runtime.Stack(stack, true)]
			at := starts.FindSubmatch(all)
			if at != nil && strings.HasPrefix(string(at[1]), "chan receive") && t.s2c == nil && t.err == nil {
				break
			}
			if at != nil && strings.HasPrefix(string(at[1]), "chan receive") || !bytes.Contains(all, []byte("transport.(*Tee).Start(")) {
				os.Exit(4)
			}
			runtime.Gosched()
		}
		catch(signals)
	}
	if err := t.Start(); err != nil {
		panic(err)
	}
	<-looked
	os.Exit(t.Wait().Code)
}

// TestTeeSignalsFirst holds that a tee forwards nothing of the server's before it receives the
// signals that it forwards: a client that sees that the server runs may send it one.
func TestTeeSignalsFirst(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = environ("a tee whose signals come late")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 || string(out) != "bye\n" {
		t.Errorf("the tee says %q, and ends with %v", out, err)
	}
}

// leave starts a process that inherits everything, waits until it is ready,
// prints its pid, and exits.
func leave(attr *syscall.SysProcAttr, part string) {
	ready, theirs, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = environ(part)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles, cmd.SysProcAttr = os.Stdout, os.Stderr, []*os.File{theirs}, attr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	ready.Read(make([]byte, 1))
	fmt.Println(strconv.Itoa(cmd.Process.Pid))
}

// left is a process that leave started: it says that it is ready, and stays.
func left() {
	os.NewFile(3, "ready").Write([]byte("x"))
	select {}
}

// echo copies with blocking system calls.
func echo(in, out, size int) {
	buf := make([]byte, size)
	for {
		n, err := syscall.Read(in, buf)
		if n <= 0 || err != nil {
			return
		}
		for p := buf[:n]; len(p) > 0; {
			m, err := syscall.Write(out, p)
			if err != nil {
				return
			}
			p = p[m:]
		}
	}
}

// command is this test binary in a part.
func command(part string) Command {
	return Command{Argv: []string{os.Args[0]}, Env: environ(part)}
}

// environ is the environment of a server of that part, one deeper than we are.
func environ(part string) []string {
	vars := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, serverEnv+"=") || strings.HasPrefix(v, depthEnv+"=")
	})
	return append(vars, serverEnv+"="+part, depthEnv+"="+os.Getenv(depthEnv)+"i")
}
