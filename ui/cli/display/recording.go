package display

import (
	"context"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
	"wiretea/ui/source"
)

// A Recording is a capture.Recording as the screen shows it. Its requests can be sent
// again to a server that is started for each.
type Recording struct {
	*capture.Recording
	fresh  FreshOptions
	trials capture.Trials
}

// OpenRecording opens a session file, given by its path or by its name in the sessions
// folder, and begins to read it.
func OpenRecording(path string, fresh FreshOptions) (*Recording, error) {
	rec, err := capture.OpenRecording(recorder.Find("", path))
	if err != nil {
		return nil, term.RecordingFailure(path, err)
	}
	return &Recording{Recording: rec, fresh: fresh}, nil
}

// Close ends the servers that were started, and the reading.
func (r *Recording) Close() {
	r.trials.End()
	r.Recording.Close()
}

// ShowFiles runs the screen on recordings.
func ShowFiles(ctx context.Context, paths []string, filter, theme string, fresh FreshOptions) error {
	var sources []source.Source
	says := &Notices{}
	for _, path := range term.OnlyRecordings(paths, says) {
		src, err := OpenRecording(path, fresh)
		if err != nil {
			return err
		}
		defer src.Close()
		sources = append(sources, src)
	}
	return Show(ctx, screen.Options{Sources: sources, Filter: filter}, says, theme, nil)
}
