//go:build !unix

package cli

import (
	"context"
	"errors"
	"io"
)

var errNoPty = errors.New("there are no pseudo-terminals on this system")

func benchScreen(context.Context, benchOptions, io.Writer) (*benchReport, error) {
	return nil, errNoPty
}

func takePicture(context.Context, string, pictureOptions) error { return errNoPty }
