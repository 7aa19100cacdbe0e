//go:build realpeers

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
)

func init() { programs["witness"] = func() { os.Exit(witness(os.Args[1:])) } }

// witness is a program that stands between a client and a server and keeps what
// passes: witness FOLDER CMD ARGS… It is not our tee, and shares no code with
// it. In a folder for each start, FOLDER/1 and so on, in, out and err have the
// bytes, and how has the signals that came and how the command ended, a line each.
// It ends as the command did.
func witness(args []string) int {
	w := &witnessed{cmd: exec.Command(args[1], args[2:]...)}
	var code int
	err := os.ErrExist
	for n := 1; errors.Is(err, os.ErrExist); n++ {
		w.dir = filepath.Join(args[0], strconv.Itoa(n))
		err = os.Mkdir(w.dir, 0o700)
	}
	if err == nil {
		code, err = w.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "witness:", err)
		return 99
	}
	return code
}

type witnessed struct {
	dir string
	cmd *exec.Cmd
	how *os.File
}

func (w *witnessed) run() (code int, err error) {
	if w.how, err = os.Create(filepath.Join(w.dir, "how")); err != nil {
		return 0, err
	}
	defer w.how.Close()
	// A client that is gone is not our end.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	var outputs sync.WaitGroup
	ends, err := w.connect(&outputs)
	if err != nil {
		return 0, err
	}
	if err := w.cmd.Start(); err != nil {
		return 0, err
	}
	for _, end := range ends {
		end.Close()
	}
	var noted sync.WaitGroup
	noted.Go(func() {
		for sig := range signals {
			fmt.Fprintln(w.how, "came", sig)
			w.cmd.Process.Signal(sig)
		}
	})
	err = w.cmd.Wait()
	outputs.Wait()
	signal.Stop(signals) // A signal to the group may end the command before we have noted ours.
	close(signals)
	noted.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	fmt.Fprintln(w.how, w.cmd.ProcessState)
	if status := w.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		signal.Reset(status.Signal())
		syscall.Kill(os.Getpid(), status.Signal())
		select {}
	}
	return w.cmd.ProcessState.ExitCode(), nil
}

// connect gives the command descriptors of the kind that we have, and begins to
// copy. It returns the ends that are the command's alone.
func (w *witnessed) connect(outputs *sync.WaitGroup) (theirs []*os.File, err error) {
	for fd, name := range []string{"in", "out", "err"} {
		file, err := os.Create(filepath.Join(w.dir, name))
		if err != nil {
			return nil, err
		}
		ours, their, err := likeOurs(fd)
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, their)
		switch fd {
		case 0:
			w.cmd.Stdin = their
			go func() {
				io.Copy(io.MultiWriter(file, ours), os.Stdin)
				ours.Close()
			}()
			continue
		case 1:
			w.cmd.Stdout = their
		case 2:
			w.cmd.Stderr = their
		}
		out := os.NewFile(uintptr(fd), name)
		outputs.Go(func() {
			io.Copy(file, io.TeeReader(ours, ignoring{out}))
			out.Close()
		})
	}
	return theirs, nil
}

// likeOurs returns two ends that are connected as our descriptor fd is: sockets or a
// pipe.
func likeOurs(fd int) (ours, theirs *os.File, err error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, nil, err
	}
	if st.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, nil, err
		}
		return os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs"), nil
	}
	r, pw, err := os.Pipe()
	if fd == 0 {
		return pw, r, err
	}
	return r, pw, err
}

// ignoring is a writer whose reader may be gone.
type ignoring struct{ io.Writer }

func (i ignoring) Write(p []byte) (int, error) {
	i.Writer.Write(p)
	return len(p), nil
}
