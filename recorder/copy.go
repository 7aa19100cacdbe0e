package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Copy writes the whole records that a log has now to w: a session file of what
// was recorded so far. It fails with ErrEvicted for a log that has lost its
// beginning.
func Copy(w io.Writer, log Log) error {
	_, err := CopyFrom(w, log, 0)
	return err
}

// CopyFrom is Copy from an offset on, where a record begins. It returns how many bytes
// of the log were copied.
func CopyFrom(w io.Writer, log Log, from int64) (copied int64, err error) {
	end := log.Size()
	buf := make([]byte, readSize)
	var held []byte // held is the beginning of a record whose end was not read yet
	for off := from; off < end; {
		n, err := log.ReadAt(buf[:min(int64(len(buf)), end-off)], off)
		if errors.Is(err, ErrEvicted) {
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		if n == 0 {
			if err == nil || errors.Is(err, io.EOF) {
				break
			}
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		off += int64(n)
		chunk := buf[:n]
		cut := bytes.LastIndexByte(chunk, '\n') + 1
		if cut == 0 {
			held = append(held, chunk...)
			continue
		}
		if _, err := w.Write(held); err != nil {
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		if _, err := w.Write(chunk[:cut]); err != nil {
			return copied, fmt.Errorf("copying the session: %w", err)
		}
		copied += int64(len(held) + cut)
		held = append(held[:0], chunk[cut:]...)
	}
	return copied, nil
}
