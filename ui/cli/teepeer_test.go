//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// teePeer is a server behind a tee, as a program: teepeer PART [NUMBER [FILE]].
func teePeer(args []string) int {
	number, file := 0, ""
	if len(args) > 1 {
		number, _ = strconv.Atoi(args[1])
	}
	if len(args) > 2 {
		file = args[2]
	}
	part, ok := teeParts[args[0]]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such part:", args[0])
		return 98
	}
	return part(number, file)
}

var teeParts = map[string]func(number int, file string) int{
	// flood writes frames that nobody would write like that, and keeps their sum.
	"flood": func(frames int, file string) int {
		sum, out := sha256.New(), bufio.NewWriterSize(os.Stdout, 64<<10)
		both := io.MultiWriter(sum, out)
		for i := range frames {
			fmt.Fprintf(both, "{\"jsonrpc\":\"2.0\",  \"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":%d.0}}\r\n", i)
		}
		if out.Flush() != nil {
			return 1
		}
		if err := os.WriteFile(file, sum.Sum(nil), 0o600); err != nil {
			return 1
		}
		return 0
	},
	// bulk writes mebibytes of frames of 64 KiB, and keeps their sum.
	"bulk": func(mebibytes int, file string) int {
		sum := sha256.New()
		out := io.MultiWriter(sum, os.Stdout)
		for i := range 16 * mebibytes {
			head := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%09d `, i)
			line := append([]byte(head), bytes.Repeat([]byte("x"), 64<<10-len(head)-4)...)
			if _, err := out.Write(append(line, "\"}}\n"...)); err != nil {
				return 1
			}
		}
		if err := os.WriteFile(file, sum.Sum(nil), 0o600); err != nil {
			return 1
		}
		return 0
	},
	// line writes one line, and waits for a byte after each mebibyte of it.
	"line": func(mebibytes int, _ string) int {
		chunk, ack := bytes.Repeat([]byte("0123456789abcdef"), 64<<10), make([]byte, 1)
		for range mebibytes {
			os.Stdout.Write(chunk)
			if _, err := io.ReadFull(os.Stdin, ack); err != nil {
				return 1
			}
		}
		os.Stdout.WriteString("\n")
		return 0
	},
	// chatter ends with its input.
	"chatter": func(size int, _ string) int {
		line := append(bytes.Repeat([]byte("chatter "), 15), "\xff is odd\n"...)
		for left := size; left > 0; left -= len(line) {
			os.Stderr.Write(line[:min(left, len(line))])
		}
		fmt.Println("done")
		io.Copy(io.Discard, os.Stdin)
		return 0
	},
	// signals says which signal comes, and exits with its number plus 40 at the
	// second.
	"signals": func(int, string) int {
		c := make(chan os.Signal, 4)
		signal.Notify(c, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
		fmt.Println("ready")
		fmt.Println(<-c)
		return 40 + int((<-c).(syscall.Signal))
	},
	// stubborn ends with its input only.
	"stubborn": func(int, string) int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		io.Copy(io.Discard, os.Stdin)
		fmt.Println("bye")
		return 9
	},
	// deaf reads nothing until a signal comes, and then all.
	"deaf": func(int, string) int {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGUSR1)
		fmt.Println("ready")
		<-c
		sum := sha256.New()
		n, _ := io.Copy(sum, os.Stdin)
		fmt.Printf("%d %x\n", n, sum.Sum(nil))
		return 0
	},
	// kinds says what its descriptors are.
	"kinds": func(int, string) int {
		for fd := range 3 {
			var st syscall.Stat_t
			if err := syscall.Fstat(fd, &st); err != nil {
				return 1
			}
			flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
			fmt.Printf("%d %o %v\n", fd, st.Mode&syscall.S_IFMT, flags&syscall.O_NONBLOCK != 0)
		}
		return 0
	},
}
