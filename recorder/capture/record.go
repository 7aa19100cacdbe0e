package capture

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// A Record says where a session is recorded. The zero Record is a new file in the
// default sessions folder.
type Record struct {
	File  string   // File is the session file; empty means a new one in Dir.
	Dir   string   // Dir is the sessions folder; empty means the default one.
	None  bool     // None keeps no file: the session lasts as long as the process.
	Force bool     // Force overwrites File.
	Reads []string // Reads are recordings that the session's input comes from: they are never overwritten.
}

// A FileError is returned when Record.File cannot be created.
type FileError struct{ Err error }

func (e *FileError) Error() string { return e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// open creates the place of the record. Where the sessions folder cannot be
// written, the session is recorded without a file, and warn is told.
func (o Record) open(hdr *session.Header, warn io.Writer) (*recorder.Sink, error) {
	switch {
	case o.None:
		return recorder.NewTemp(), nil
	case o.File != "":
		if err := recorder.MayReplace(o.File, o.Reads...); err != nil {
			return nil, &FileError{fmt.Errorf("recording into %w", err)}
		}
		sink, err := recorder.Create(o.File, o.Force)
		if err != nil {
			return nil, &FileError{err}
		}
		return sink, nil
	}
	sink, err := o.begin(hdr)
	if err != nil {
		fmt.Fprintf(warn, "wiretea: %v\n", err)
	}
	return sink, nil
}

// begin creates a file in the sessions folder, or, where that is the default one and
// cannot be written, in the fallback folder. It always returns a Sink; where there is no
// file, the error says why.
func (o Record) begin(hdr *session.Header) (*recorder.Sink, error) {
	dir, err := recorder.SessionsFolder(o.Dir)
	sink := recorder.NewTemp
	if err == nil {
		var begun *recorder.Sink
		if begun, err = recorder.Begin(dir, hdr); err == nil {
			return begun, nil
		}
		sink = func() *recorder.Sink { return begun }
	}
	if o.Dir != "" {
		return sink(), err
	}
	fallback, none := recorder.MakeFallback()
	if none != nil {
		return sink(), err
	}
	begun, none := recorder.Begin(fallback, hdr)
	if none != nil {
		return sink(), err
	}
	_, _ = recorder.Prune(fallback, recorder.DefaultPolicy, time.Now())
	return begun, nil
}

// newSID names a session: 16 random bytes in hex.
func newSID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b[:])
}
