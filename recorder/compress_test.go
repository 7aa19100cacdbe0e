package recorder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"wiretea/session"
)

// TestPack holds that what was packed is read as it was, that it keeps its age, and
// that nothing is lost on the way.
func TestPack(t *testing.T) {
	plain := recordAll(t, &script{steps: []step{{batch: []session.Observation{
		chunk(1, session.C2S, strings.Repeat(`{"jsonrpc":"2.0","method":"x"}`+"\n", 50_000)),
		chunk(2, session.S2C, strings.Repeat("y", 3<<20)+"\n"),
	}}}}, NewMemory(64<<20))
	for _, ending := range []string{Gzip, Zstd} {
		t.Run(ending, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a"+Suffix)
			target := path + ending
			if err := os.WriteFile(path, plain, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, t0, t0); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+oldIndex, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Pack(path, target, false); err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(left) != 1 || left[0].Name() != "a"+Suffix+ending {
				t.Errorf("the folder has %v (%v)", left, err)
			}
			info, err := os.Stat(target)
			if err != nil || !info.ModTime().Equal(t0) || info.Mode().Perm() != 0o600 {
				t.Errorf("the packed file is %v, %v (%v)", info.ModTime(), info.Mode(), err)
			}
			f, err := Open(target)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := waitAll(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, f); !bytes.Equal(got, plain) {
				t.Errorf("%d bytes come out, %d went in", len(got), len(plain))
			}
			if err := Pack(target, target+Gzip, false); !errors.Is(err, ErrPacked) {
				t.Errorf("packing twice: %v", err)
			}
		})
	}
}

// TestPackFrames holds that zstd frames are small, and can be read one by one.
func TestPackFrames(t *testing.T) {
	text := strings.Repeat(strings.Repeat("a", 999)+"\n", 5000) + strings.Repeat("b", 3<<20)
	var out bytes.Buffer
	if err := packZstd(&out, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(packFrame))
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	frames, whole := 0, 0
	for rest := out.Bytes(); len(rest) > 0; frames++ {
		var head zstd.Header
		if err := head.Decode(rest); err != nil || !head.HasFCS || head.FrameContentSize > packFrame {
			t.Fatalf("frame %d: %+v, %v", frames, head, err)
		}
		next := bytes.Index(rest[4:], rest[:4])
		if next < 0 {
			next = len(rest) - 4
		}
		got, err := dec.DecodeAll(rest[:next+4], nil)
		if err != nil {
			t.Fatalf("frame %d: %v", frames, err)
		}
		if whole+len(got) < 5_000_000 && !bytes.HasSuffix(got, []byte("\n")) {
			t.Errorf("frame %d ends in the middle of a record", frames)
		}
		whole += len(got)
		rest = rest[next+4:]
	}
	if whole != len(text) || frames < 8 {
		t.Errorf("%d frames hold %d bytes of %d", frames, whole, len(text))
	}
}

// TestRecordPacked holds that a session whose file is to be packed is plain until it
// has ended.
func TestRecordPacked(t *testing.T) {
	for _, ending := range []string{Gzip, Zstd} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a.jsonl"+ending)
		sink, err := Create(name, false)
		if err != nil {
			t.Fatal(err)
		}
		if sink.Path() != filepath.Join(dir, "a.jsonl") || sink.Final() != name {
			t.Errorf("it is recorded into %s and ends as %s", sink.Path(), sink.Final())
		}
		want := recordAll(t, &script{steps: []step{{batch: []session.Observation{chunk(1, session.C2S, "{}\n")}}}}, sink)
		if got, err := os.ReadFile(sink.Path()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("before the end the file holds %q (%v)", got, err)
		}
		if err := sink.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(sink.Path()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the plain file stays: %v", err)
		}
		if _, err := Create(name, false); !errors.Is(err, ErrExists) {
			t.Errorf("a packed file is overwritten: %v", err)
		}
		another := []byte("another recording\n")
		if err := os.WriteFile(sink.Path(), another, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(name, true); !errors.Is(err, ErrExists) {
			t.Errorf("a file beside the packed one is overwritten: %v", err)
		}
		if got, err := os.ReadFile(sink.Path()); err != nil || !bytes.Equal(got, another) {
			t.Errorf("the file beside the packed one holds %q (%v)", got, err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := waitAll(t.Context(), f); err != nil || !bytes.Equal(contents(t, f), want) {
			t.Errorf("the packed file holds something else (%v)", err)
		}
	}
}
