//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

func init() { teeParts["acted"] = actedPeer }

// An actor is a server that does what the methods it is asked say, and keeps all
// it read in FILE.in and all it wrote in FILE.out.
type actor struct {
	file string
	mu   sync.Mutex // mu is held over a line.
	out  io.Writer
	work sync.WaitGroup
	stop chan struct{} // stop ends the streams.
	late []string      // late are answers that are kept back.
}

func actedPeer(_ int, file string) int {
	in, err1 := os.Create(file + ".in")
	out, err2 := os.Create(file + ".out")
	if errors.Join(err1, err2) != nil {
		return 97
	}
	a := &actor{file: file, out: io.MultiWriter(out, os.Stdout), stop: make(chan struct{})}
	for lines := bufio.NewReader(io.TeeReader(os.Stdin, in)); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Size int
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &m) == nil {
			a.act(m.Method, string(m.ID), string(m.Params.Meta.Token), m.Params.Size)
		}
	}
	select {
	case <-a.stop:
	default:
		close(a.stop)
	}
	a.work.Wait()
	return 0
}

// say writes a line, in two writes.
func (a *actor) say(line string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	io.WriteString(a.out, line[:len(line)/2])
	io.WriteString(a.out, line[len(line)/2:]+"\n")
}

// answer is one with its id last.
func answer(id, result string) string {
	return fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, id)
}

func (a *actor) act(method, id, token string, size int) {
	switch method {
	case "initialize":
		a.say(answer(id, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"acted","version":"1"}}`))
	case "echo":
		a.say(answer(id, `{"content":[]}`))
	case "refuse":
		a.say(fmt.Sprintf(`{"error":{"code":-32000,"message":"no"},"jsonrpc":"2.0","id":%s}`, id))
	case "big":
		a.say(answer(id, `{"text":"`+strings.Repeat("0123456789abcdef", size<<16)+`"}`))
	case "late":
		a.late = append(a.late, answer(id, `{"late":true}`))
	case "notifications/release":
		for _, line := range a.late {
			a.say(line)
		}
		a.late = nil
	case "progress":
		const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`
		a.say(fmt.Sprintf(progress, token, 1))
		a.say(answer(id, `{}`))
		a.say(fmt.Sprintf(progress, token, 2))
	case "asks":
		a.say(`{"jsonrpc":"2.0","id":77,"method":"roots/list"}`)
		a.say(answer(id, `{}`))
	case "die":
		os.Exit(0)
	case "leave": // Half a line, and somebody out of reach who holds the stream open.
		io.WriteString(a.out, `{"jsonrpc":"2.0","id":`)
		sleeper := exec.Command("sleep", "5")
		sleeper.Stdout, sleeper.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
		if sleeper.Start() != nil {
			os.Exit(96)
		}
		os.Exit(0)
	case "deaf":
		for a.say(answer(id, `{}`)); ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(a.file + ".go"); err == nil {
				return
			}
		}
	case "notifications/stream":
		a.work.Go(a.stream)
	}
}

// stream writes without a pause, until stdin ends.
func (a *actor) stream() {
	for i := 0; ; i++ {
		select {
		case <-a.stop:
			return
		default:
			a.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d %s"}}`, i, strings.Repeat("x", i%997)))
		}
	}
}
