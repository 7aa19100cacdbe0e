//go:build unix

package transport

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"wiretea/session"
)

// BenchmarkRoundTrip measures a message to an echo server and back, with real
// processes: over a bare pipe, through a wrapper that only copies with blocking
// reads and writes, and through one that uses this package's relays, with a
// consumer that takes and forgets. The benchmark itself reads and writes with
// blocking system calls. The quantiles are those of single round trips.
func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []int{200, 10 << 10, 1 << 20} {
		for _, way := range []string{"direct", "wrapper", "tee"} {
			b.Run(fmt.Sprintf("%s/%s", sizeName(size), way), func(b *testing.B) {
				peer := startPeer(b, way)
				roundTrips(b, peer, size)
			})
		}
	}
}

// BenchmarkFlood measures messages sent without waiting for their echoes.
func BenchmarkFlood(b *testing.B) {
	for _, size := range []int{200, 10 << 10, 1 << 20} {
		for _, way := range []string{"direct", "wrapper", "tee"} {
			b.Run(fmt.Sprintf("%s/%s", sizeName(size), way), func(b *testing.B) {
				flood(b, startPeer(b, way), size)
			})
		}
	}
}

// BenchmarkStart measures the time from starting a process to its first answer.
func BenchmarkStart(b *testing.B) {
	for _, way := range []string{"direct", "wrapper", "tee"} {
		b.Run(way, func(b *testing.B) {
			for range b.N {
				p := startPeer(b, way)
				p.send(b, []byte("x"))
				p.receive(b, make([]byte, 1))
				b.StopTimer()
				p.stop()
				b.StartTimer()
			}
		})
	}
}

// A peer is the process at the other end of two pipes.
type peer struct {
	cmd     *exec.Cmd
	in, out int
	once    sync.Once
}

func startPeer(b *testing.B, way string) *peer {
	b.Helper()
	part := way
	if way == "direct" {
		part = "echo"
	}
	inR, inW, err := pipe(Pipe)
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := pipe(Pipe)
	if err != nil {
		b.Fatal(err)
	}
	stdin, stdout := os.NewFile(uintptr(inR), "|0"), os.NewFile(uintptr(outW), "|1")
	defer stdin.Close()
	defer stdout.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = environ(part)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p := &peer{cmd: cmd, in: inW, out: outR}
	b.Cleanup(p.stop)
	return p
}

// stop ends the peer by the end of its input.
func (p *peer) stop() {
	p.once.Do(func() {
		syscall.Close(p.in)
		p.cmd.Wait()
		syscall.Close(p.out)
	})
}

func (p *peer) send(b *testing.B, msg []byte) {
	for len(msg) > 0 {
		n, err := syscall.Write(p.in, msg)
		if err != nil {
			b.Error("writing:", err)
			return
		}
		msg = msg[n:]
	}
}

func (p *peer) receive(b *testing.B, buf []byte) {
	for len(buf) > 0 {
		n, err := syscall.Read(p.out, buf)
		if n <= 0 || err != nil {
			b.Error("reading:", n, err)
			return
		}
		buf = buf[n:]
	}
}

func roundTrips(b *testing.B, p *peer, size int) {
	msg, buf := make([]byte, size), make([]byte, size)
	took := make([]time.Duration, 0, b.N)
	// A message longer than a pipe is read while it is still being written.
	next := make(chan struct{})
	go func() {
		for range next {
			p.send(b, msg)
		}
	}()
	defer close(next)
	for range 20 {
		next <- struct{}{}
		p.receive(b, buf)
	}
	b.ResetTimer()
	for range b.N {
		start := time.Now()
		if size <= 32<<10 {
			p.send(b, msg)
		} else {
			next <- struct{}{}
		}
		p.receive(b, buf)
		took = append(took, time.Since(start))
	}
	b.StopTimer()
	slices.Sort(took)
	for name, q := range map[string]float64{"p50-µs": 0.5, "p99-µs": 0.99, "p99.9-µs": 0.999} {
		b.ReportMetric(float64(took[int(q*float64(len(took)-1))].Nanoseconds())/1000, name)
	}
}

func flood(b *testing.B, p *peer, size int) {
	msg, buf := make([]byte, size), make([]byte, 1<<20)
	b.SetBytes(int64(size))
	b.ResetTimer()
	var wg sync.WaitGroup
	wg.Go(func() {
		for range b.N {
			p.send(b, msg)
		}
	})
	for left := b.N * size; left > 0; {
		n := min(left, len(buf))
		p.receive(b, buf[:n])
		left -= n
	}
	wg.Wait()
}

func init() {
	servers["wrapper"] = wrapper
	servers["tee"] = tee
}

// wrapper starts an echo server and copies with blocking system calls.
func wrapper() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = environ("echo")
	inR, inW, err := pipe(Pipe)
	if err != nil {
		panic(err)
	}
	outR, outW, err := pipe(Pipe)
	if err != nil {
		panic(err)
	}
	errR, errW, err := pipe(Pipe)
	if err != nil {
		panic(err)
	}
	stdin, stdout, stderr := os.NewFile(uintptr(inR), "0"), os.NewFile(uintptr(outW), "1"), os.NewFile(uintptr(errW), "2")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	closeAll(stdin, stdout, stderr)
	go func() {
		echo(0, inW, 64<<10)
		syscall.Close(inW)
	}()
	go echo(errR, 2, 64<<10)
	echo(outR, 1, 64<<10)
	cmd.Wait()
}

// tee does the same with relays, on the inherited descriptors.
func tee() {
	tap := NewTap(time.Now(), TapConfig{})
	go func() {
		for {
			if _, _, err := tap.Take(0); err != nil {
				return
			}
		}
	}()
	server := command("echo")
	server.Group = Inherit
	child, err := server.Start(tap, 1, Grace{})
	if err != nil {
		panic(err)
	}
	var inherited [3]*FD
	for i := range inherited {
		if inherited[i], err = NewFD(i, false); err != nil {
			panic(err)
		}
	}
	watchPeer(inherited[0], child.Stdin)
	relays := []*Relay{
		{Stream: session.C2S, Src: inherited[0], Dst: child.Stdin},
		{Stream: session.S2C, Src: child.Stdout, Dst: inherited[1]},
		{Stream: session.Stderr, Src: child.Stderr, Dst: inherited[2]},
	}
	for _, r := range relays {
		r.Tap, r.Conn = tap, 1
		r.Start()
	}
	<-relays[1].Done()
	<-child.Done()
}
