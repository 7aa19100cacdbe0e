//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// copyRaw copies with blocking system calls until the end or an error; to a file
// too, unless file is below 0.
func copyRaw(in, out, file int) {
	buf := make([]byte, 64<<10)
	for {
		n, err := syscall.Read(in, buf)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil || writeRaw(out, buf[:n]) != nil || file >= 0 && writeRaw(file, buf[:n]) != nil {
			return
		}
	}
}

func writeRaw(fd int, p []byte) error {
	for len(p) > 0 {
		n, err := syscall.Write(fd, p)
		if err != nil && err != syscall.EINTR {
			return err
		}
		p = p[max(n, 0):]
	}
	return nil
}

// copyWrapper is the least that stands between: it starts a server and copies. With
// a file it is the least that keeps what passes.
func copyWrapper(argv []string, path string) error {
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
		copyRaw(0, ours[0], file)
		_ = syscall.Close(ours[0])
	}()
	go copyRaw(ours[2], 2, file)
	copyRaw(ours[1], 1, file)
	return errors.Join(err, cmd.Wait())
}

// A benchPeer is a running process, and the other ends of its pipes.
type benchPeer struct {
	cmd     *exec.Cmd
	in, out int
	viewer  *exec.Cmd
}

func startBenchPeer(ctx context.Context, argv []string) (*benchPeer, error) {
	var in, out [2]int
	if err := errors.Join(syscall.Pipe(in[:]), syscall.Pipe(out[:])); err != nil {
		return nil, err
	}
	for _, fd := range append(in[:], out[:]...) {
		syscall.CloseOnExec(fd)
	}
	stdin, stdout := os.NewFile(uintptr(in[0]), "0"), os.NewFile(uintptr(out[1]), "1")
	defer stdin.Close()
	defer stdout.Close()
	p := &benchPeer{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), in: in[1], out: out[0]}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, os.Stderr
	return p, p.cmd.Start()
}

// read takes n bytes.
func (p *benchPeer) read(buf []byte, n int) error {
	for n > 0 {
		m, err := syscall.Read(p.out, buf[:min(n, len(buf))])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || m == 0 {
			return fmt.Errorf("reading the echo: %d bytes are missing: %w", n, errors.Join(err, io.ErrUnexpectedEOF))
		}
		n -= m
	}
	return nil
}

// exchange sends messages, count of them, and reads the echo at the same time.
func (p *benchPeer) exchange(message []byte, count int, buf []byte) error {
	if count == 1 && len(message) <= 32<<10 {
		return errors.Join(writeRaw(p.in, message), p.read(buf, len(message)))
	}
	var sent error
	var work sync.WaitGroup
	work.Go(func() {
		for range count {
			if sent = writeRaw(p.in, message); sent != nil {
				return
			}
		}
	})
	err := p.read(buf, count*len(message))
	work.Wait()
	return errors.Join(sent, err)
}

func (p *benchPeer) stop() error {
	err := errors.Join(syscall.Close(p.in), p.cmd.Wait(), syscall.Close(p.out))
	if p.viewer != nil {
		// It has the rest to read, which is no part of what is measured.
		err = errors.Join(err, p.viewer.Process.Kill())
		_ = p.viewer.Wait()
	}
	return err
}

// recordedFrames is how many frames the last record of a session says passed, and how
// many bytes of them it lacks.
func recordedFrames(file string) (frames, lost int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	tail := make([]byte, min(info.Size(), 4<<10))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return 0, 0, err
	}
	tail = bytes.TrimSpace(tail)
	var end struct {
		K            string
		Frames, Lost int64
	}
	err = json.Unmarshal(tail[bytes.LastIndexByte(tail, '\n')+1:], &end)
	if err == nil && end.K != "end" {
		err = errors.New("the recording has no end")
	}
	return end.Frames, end.Lost, err
}
