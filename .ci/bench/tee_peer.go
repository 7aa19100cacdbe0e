//go:build unix

package main

import (
	"wiretea/.ci/bench/rawio"

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
		m, err := rawio.Read(p.out, buf[:min(n, len(buf))])
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
		return errors.Join(rawio.Write(p.in, message), p.read(buf, len(message)))
	}
	var sent error
	var work sync.WaitGroup
	work.Go(func() {
		rawio.Own()
		for range count {
			if sent = rawio.Write(p.in, message); sent != nil {
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
		// It has the rest to read, which is not part of what is measured.
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
