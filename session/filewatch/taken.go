package filewatch

import (
	"context"
	"errors"
	"os"
)

// errEnded is returned by Taken when the watching has ended.
var errEnded = errors.New("nothing is watched any more")

// makeMarkerDir makes a folder of our own that is watched too. It is hidden, so that it is
// no change where all of the temporary folder is watched.
func (f *Files) makeMarkerDir() error {
	dir, err := os.MkdirTemp("", ".wiretea-watch-")
	if err != nil {
		return err
	}
	f.markerDir = dir
	if err := f.watcher.Add(dir); err != nil {
		os.RemoveAll(dir)
		return err
	}
	return nil
}

// Taken returns all changes before the call that were not sent yet; they are in no
// Batch. It does not wait for quiet. So a caller can tell changes before an event from
// those after it.
//
// The system tells changes in their order: a file is written into a folder of our
// own, and what comes before its event has happened before. (kqueue and Windows
// promise less; there a change that was just made may come in the next Batch.)
func (f *Files) Taken(ctx context.Context) (Batch, error) {
	r := marker{path: make(chan string, 1), batch: make(chan Batch, 1)}
	select {
	case f.markers <- r:
	case <-f.ended:
		return nil, errEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	path := <-r.path
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(path)
	select {
	case batch := <-r.batch:
		return batch, nil
	case <-f.ended:
		return nil, errEnded
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
