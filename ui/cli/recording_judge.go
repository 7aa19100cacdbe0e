package cli

import (
	"context"
	"io"
	"wiretea/session"
)

// judge reads a recording to its present end and returns what there is to know.
func judge(ctx context.Context, path string, errw io.Writer) (*session.Snapshot, error) {
	f, s, err := judged(ctx, path, session.Limits{}, errw)
	if err != nil {
		return nil, err
	}
	return s, f.Close()
}
