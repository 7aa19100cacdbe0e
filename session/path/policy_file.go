package path

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/filewatch"
)

// maxPolicy is the longest file of a policy, in bytes.
const maxPolicy = 4 << 20

// A PolicyFile is a policy that is read again when its file changes. A changed one replaces the
// last one whole, between two messages; one that cannot be used leaves the last one in force.
// It is a Decider.
type PolicyFile struct {
	path    string
	text    []byte // text is what was read last.
	current atomic.Pointer[Policy]
}

// OpenPolicy reads a policy.
func OpenPolicy(path string) (*PolicyFile, error) {
	f := &PolicyFile{path: path}
	p, _, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", path, err)
	}
	f.current.Store(p)
	return f, nil
}

// Policy returns the policy that is in force.
func (f *PolicyFile) Policy() *Policy { return f.current.Load() }

// Path is the file's path as it was given.
func (f *PolicyFile) Path() string { return f.path }

// Decide implements Decider.
func (f *PolicyFile) Decide(m *Message) session.Ruling { return f.Policy().Decide(m) }

// OnError implements Decider.
func (f *PolicyFile) OnError(why string) session.Ruling { return f.Policy().OnError(why) }

// Event is the event that says what is in force.
func (f *PolicyFile) Event(word string) session.PathEvent {
	return session.PathEvent{Event: word, What: "policy", Text: f.path + ": " + f.Policy().String()}
}

// Watch reads the file again whenever it changes, until ctx is done, and calls changed for
// each change: with the event changed or broken. It returns an error if the file cannot be
// watched.
func (f *PolicyFile) Watch(ctx context.Context, changed func(session.PathEvent)) error {
	files := &filewatch.Files{Paths: []string{f.path}}
	if err := files.Start(ctx); err != nil {
		return fmt.Errorf("policy %s: its changes will not be seen: %w", f.path, err)
	}
	go func() {
		// It ends with ctx.
		for range files.Batches() {
			if ev, ok := f.reload(); ok {
				changed(ev)
			}
		}
	}()
	return nil
}

// reload reads the file again, and reports whether there is something to say.
func (f *PolicyFile) reload() (ev session.PathEvent, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			ev, ok = session.PathEvent{Event: session.PathBroken, What: "policy", Text: fmt.Sprintf("%s: internal error: %v", f.path, p)}, true
		}
	}()
	p, same, err := f.read()
	switch {
	case err != nil:
		return session.PathEvent{Event: session.PathBroken, What: "policy", Text: f.path + ": " + err.Error()}, true
	case same:
		return session.PathEvent{}, false
	}
	f.current.Store(p)
	return f.Event("changed"), true
}

// read reads and compiles the file; same reports that its text is the one of last time.
func (f *PolicyFile) read() (p *Policy, same bool, err error) {
	if info, err := os.Stat(f.path); err == nil && info.Size() > maxPolicy {
		return nil, false, fmt.Errorf("the file has more than %d MiB", maxPolicy>>20)
	}
	text, err := atomicfile.Read(f.path, maxPolicy)
	if err != nil {
		f.text = nil // Once it can be read again, that is worth saying.
		return nil, false, plain(err)
	}
	if f.text != nil && bytes.Equal(text, f.text) {
		return nil, true, nil
	}
	f.text = text
	p, err = ParsePolicy(text)
	return p, false, err
}

// plain is an error of the file without its path, which is said before it.
func plain(err error) error {
	if at, ok := err.(*os.PathError); ok {
		return at.Err
	}
	return err
}
