package display

import (
	"context"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/session"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
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

// ShowFiles runs the screen on recordings. Those of one client at the same time are shown
// as one list at first.
func ShowFiles(ctx context.Context, paths []string, opt screen.Options, theme string, fresh FreshOptions) error {
	says := &Notices{}
	var headers []*session.Header
	for _, path := range term.OnlyRecordings(paths, says) {
		src, err := OpenRecording(path, fresh)
		if err != nil {
			return err
		}
		defer src.Close()
		opt.Sources = append(opt.Sources, src)
		headers = append(headers, src.Header())
	}
	opt.Merged = opt.Merged || recorder.OneClient(headers)
	return Show(ctx, opt, says, theme, nil)
}
