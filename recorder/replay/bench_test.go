package replay

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/transport"
)

// benchFrames makes a recording of about 100,000 exchanges.
const benchFrames = 215_000

func generated(b testing.TB, frames int) *recorder.File {
	b.Helper()
	path := filepath.Join(b.TempDir(), "big"+recorder.Suffix)
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := recordertest.Generate(out, recordertest.Options{Frames: frames, Seed: 1, Faults: -1}); err != nil {
		b.Fatal(err)
	}
	out.Close()
	f, err := recorder.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

func drawn(b testing.TB, f *recorder.File, end End) []*Script {
	b.Helper()
	scripts, err := ReadScripts(f, end)
	if err != nil {
		b.Fatal(err)
	}
	return scripts
}

func BenchmarkDraw(b *testing.B) {
	f := generated(b, benchFrames)
	for b.Loop() {
		drawn(b, f, ClientEnd)
	}
	b.ReportMetric(float64(benchFrames)*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkMock is a client that does not wait.
func BenchmarkMock(b *testing.B) {
	f := generated(b, benchFrames)
	scripts := drawn(b, f, ClientEnd)
	var said bytes.Buffer
	if err := export.Bytes(&said, f, export.Part{Stream: session.C2S}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := (Mock{}).Serve(b.Context(), scripts, bytes.NewReader(said.Bytes()), io.Discard, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(scripts[0].Requests())*float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
}

// A mockServer is a Mock as a server to play to.
type mockServer struct {
	in   *io.PipeWriter
	out  *io.PipeReader
	done chan transport.Exit
}

func (s *mockServer) Read(p []byte) (int, error)  { return s.out.Read(p) }
func (s *mockServer) Write(p []byte) (int, error) { return s.in.Write(p) }
func (s *mockServer) Shutdown(context.Context) (transport.Exit, error) {
	s.in.Close()
	return <-s.done, nil
}

func newMockServer(ctx context.Context, scripts []*Script) *mockServer {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &mockServer{in: inW, out: outR, done: make(chan transport.Exit, 1)}
	go func() {
		exit, err := Mock{}.Serve(ctx, scripts, inR, outW, io.Discard)
		outW.CloseWithError(err)
		s.done <- exit
	}()
	return s
}

// BenchmarkPlayer plays to a Mock of the same recording.
func BenchmarkPlayer(b *testing.B) {
	f := generated(b, benchFrames)
	scripts, servers := drawn(b, f, ClientEnd), drawn(b, f, ServerEnd)
	for b.Loop() {
		got, err := Player{KeepGoing: true}.Play(b.Context(), servers[0], newMockServer(b.Context(), scripts))
		if err != nil || got.Found > 0 {
			b.Fatalf("%v, found %d: %+v", err, got.Found, got.First[0])
		}
	}
	b.ReportMetric(float64(scripts[0].Requests())*float64(b.N)/b.Elapsed().Seconds(), "exchanges/s")
}

// TestMockAgainstPlayer holds that a recording with everything in it, questions and
// parallel calls, played to a Mock of itself is the same.
func TestMockAgainstPlayer(t *testing.T) {
	f := generated(t, 5000)
	scripts, servers := drawn(t, f, ClientEnd), drawn(t, f, ServerEnd)
	got, err := Player{KeepGoing: true, Strict: true}.Play(t.Context(), servers[0], newMockServer(t.Context(), scripts))
	if err != nil || got.Found > 0 || got.Sent < 1000 || got.Compared < 1000 {
		t.Fatalf("%v: sent %d, compared %d, found %+v", err, got.Sent, got.Compared, got.First)
	}
}
