//go:build unix

package main

import (
	"time"

	"github.com/spf13/cobra"
)

// pictureOptions are the flags of bench picture.
type pictureOptions struct {
	width, height int
	theme         string
	light         bool
	until         string
	keys          []string
	settle        time.Duration
	title         string
	command       []string
}

func newBenchPicture() *cobra.Command {
	var o pictureOptions
	cmd := &cobra.Command{
		Use:   "picture [flags] FILE.svg [-- ARGS…]",
		Short: "take a picture of the screen",
		Long: `Runs wiretea in a pseudo-terminal with ARGS, demo by default, presses keys
once a text is shown, and writes what is then on the screen as an SVG.`,
		Example: `  go run ./.ci/bench picture docs/screen.svg
  go run ./.ci/bench picture --light --until "handshake" --keys g,j,enter x.svg -- open session.mcpcap.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.command = args[1:]
			if len(o.command) == 0 {
				o.command = []string{"demo"}
			}
			if o.theme != "" {
				o.command = append(o.command[:1:1], append([]string{"--theme", o.theme}, o.command[1:]...)...)
			}
			return takePicture(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.width, "width", 120, "columns")
	f.IntVar(&o.height, "height", 36, "rows")
	f.BoolVar(&o.light, "light", false, "a terminal with a light background")
	f.StringVar(&o.until, "until", "╰", "wait for this text")
	f.StringSliceVar(&o.keys, "keys", nil, "then press these keys")
	f.DurationVar(&o.settle, "settle", time.Second, "then wait for this long")
	f.StringVar(&o.title, "title", "wiretea", "title of the window")
	f.StringVar(&o.theme, "theme", "", "theme of the screen")
	return cmd
}
