package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"wiretea/session/atomicfile"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packFrame is how many bytes of a session make one zstd frame, at most: a reader
// that wants a place in the middle need not unpack what is before it.
const packFrame = 1 << 20

// Endings of packed session files.
const (
	Gzip = ".gz"
	Zstd = ".zst"
)

// Packed returns a packed file's ending, empty where its name has none.
func Packed(name string) string {
	for _, ending := range []string{Gzip, Zstd} {
		if strings.HasSuffix(name, ending) {
			return ending
		}
	}
	return ""
}

// ErrPacked is returned for a file that is packed already.
var ErrPacked = errors.New("it is packed already")

// Pack packs a closed session file into target, whose name ends in .gz or .zst, and
// removes it. Until the packed file is there whole, the plain one
// does: a kill in between costs nothing. The packed file is as old as the plain one,
// and for its owner alone. One that is being written is refused with ErrBusy, a
// target that exists with ErrExists unless overwrite is set.
func Pack(path, target string, overwrite bool) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("packing %s: %w", path, err)
		}
	}()
	if Packed(path) != "" {
		return ErrPacked
	}
	src, err := atomicfile.Open(path)
	if err != nil {
		return err
	}
	defer src.Close() // Closed before it is removed where all went well.
	info, err := src.Stat()
	switch {
	case err != nil:
		return err
	case probeLock(src) == Live:
		return ErrBusy
	}
	if _, err := os.Lstat(target); err == nil && !overwrite {
		return fmt.Errorf("%s: %w", target, ErrExists)
	}
	err = atomicfile.Write(target, atomicfile.Options{ModTime: info.ModTime(), New: !overwrite}, func(w io.Writer) error {
		return packInto(w, src, Packed(target))
	})
	if err = errors.Join(err, src.Close()); err != nil {
		return err
	}
	_ = os.Remove(path + oldIndex)
	return os.Remove(path)
}

// packInto packs what comes out of src.
func packInto(w io.Writer, src io.Reader, ending string) error {
	switch ending {
	case Gzip:
		z := gzip.NewWriter(w)
		_, err := io.CopyBuffer(z, src, make([]byte, readSize))
		return errors.Join(err, z.Close())
	case Zstd:
		return packZstd(w, src)
	}
	return fmt.Errorf("a packed file's name ends in %s or %s", Gzip, Zstd)
}

// packZstd writes frames of packFrame bytes at most, cut behind a record where one
// ends within them.
func packZstd(w io.Writer, src io.Reader) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer enc.Close()
	buf := make([]byte, packFrame)
	var out []byte
	for have := 0; ; {
		n, err := io.ReadFull(src, buf[have:])
		have += n
		over := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !over {
			return err
		}
		cut := bytes.LastIndexByte(buf[:have], '\n') + 1
		if over || cut == 0 {
			cut = have
		}
		if cut > 0 {
			out = enc.EncodeAll(buf[:cut], out[:0])
			if _, err := w.Write(out); err != nil {
				return err
			}
		}
		if over {
			return nil
		}
		have = copy(buf, buf[cut:have])
	}
}
