//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"wiretea/.ci/bench/answer"
	"wiretea/.ci/bench/rawio"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "-unseen" {
		rawio.Unsee()
		args = args[1:]
	}
	switch {
	case len(args) == 1 && args[0] == "echo":
		rawio.Copy(0, 1, -1)
		return
	case len(args) == 1 && args[0] == "answer":
		answerAll()
		return
	case len(args) == 2 && args[0] == "large":
		exit(large(args[1]))
	case len(args) > 3 && args[0] == "wrapper" && args[1] == "-copies":
		exit(wrap(args[3:], args[2]))
	case len(args) > 1 && args[0] == "wrapper":
		exit(wrap(args[1:], ""))
	}
	exit(errors.New("usage: peer echo | peer answer | peer wrapper [-copies FILE] CMD ARGS…"))
}

// answerAll answers each line that is a request.
func answerAll() {
	rawio.Own()
	buf, answers := make([]byte, 0, 64<<10), []byte(nil)
	for {
		n, err := rawio.Read(0, buf[len(buf):cap(buf)])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return
		}
		buf, answers = buf[:len(buf)+n], answers[:0]
		rest := buf
		for line, after, ok := bytes.Cut(rest, []byte{'\n'}); ok; line, after, ok = bytes.Cut(rest, []byte{'\n'}) {
			before := len(answers)
			if answers = answer.To(answers, line); len(answers) > before {
				answers = append(answers, '\n')
			}
			rest = after
		}
		buf = buf[:copy(buf, rest)]
		if rawio.Write(1, answers) != nil {
			return
		}
	}
}

// large answers calls with a text of a size, and any other request with the least.
func large(size string) error {
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	text := bytes.Repeat([]byte{'x'}, n)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		_, id, is := bytes.Cut(line, []byte(`"id":`))
		id = id[:max(0, bytes.IndexAny(id, ",}"))]
		result := []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"},"tools":[{"name":"large","inputSchema":{"type":"object"}}]}`)
		if bytes.Contains(line, []byte(`"tools/call"`)) {
			result = append(append([]byte(`{"content":[{"type":"text","text":"`), text...), `"}]}`...)
		}
		if !is {
			continue
		}
		if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result); err != nil {
			return err
		}
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// wrap is the smallest possible wrapper: it starts a server and copies. With a file
// it also keeps what passes there.
func wrap(argv []string, path string) error {
	file := -1
	if path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		file = int(f.Fd())
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var ours, theirs [3]int
	for i := range 3 {
		var p [2]int
		if err := syscall.Pipe(p[:]); err != nil {
			return err
		}
		ours[i], theirs[i] = p[0], p[1]
		if i == 0 {
			ours[i], theirs[i] = p[1], p[0]
		}
		syscall.CloseOnExec(p[0])
		syscall.CloseOnExec(p[1])
	}
	stdin, stdout, stderr := os.NewFile(uintptr(theirs[0]), "0"), os.NewFile(uintptr(theirs[1]), "1"), os.NewFile(uintptr(theirs[2]), "2")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	err := errors.Join(stdin.Close(), stdout.Close(), stderr.Close())
	go func() {
		rawio.Copy(0, ours[0], file)
		_ = syscall.Close(ours[0])
	}()
	go rawio.Copy(ours[2], 2, file)
	rawio.Copy(ours[1], 1, file)
	return errors.Join(err, cmd.Wait())
}
