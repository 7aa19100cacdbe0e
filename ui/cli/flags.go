package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/session"
	"wiretea/ui/config"
	"wiretea/ui/format"
)

// sizeFlag is a flag that holds a size in bytes: 10MiB, 64k.
type sizeFlag int64

func (f *sizeFlag) String() string { return sizeWord(int64(*f)) }
func (f *sizeFlag) Type() string   { return "SIZE" }
func (f *sizeFlag) Set(text string) error {
	n, err := format.ParseSize(text)
	*f = sizeFlag(n)
	return err
}

func sizeWord(n int64) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n > 0 && n%(1<<u.shift) == 0 {
			return fmt.Sprint(n>>u.shift, u.name)
		}
	}
	return fmt.Sprint(n)
}

// sizesFlag is a flag that holds ascending sizes: 64KiB,1MiB,8MiB.
type sizesFlag []int64

func (f *sizesFlag) String() string {
	words := make([]string, len(*f))
	for i, n := range *f {
		words[i] = sizeWord(n)
	}
	return strings.Join(words, ",")
}
func (f *sizesFlag) Type() string { return "SIZES" }
func (f *sizesFlag) Set(text string) error {
	*f = nil
	for word := range strings.SplitSeq(text, ",") {
		n, err := format.ParseSize(word)
		if err != nil {
			return err
		}
		if len(*f) > 0 && n <= (*f)[len(*f)-1] {
			return fmt.Errorf("%q does not ascend", text)
		}
		*f = append(*f, n)
	}
	return nil
}

// timeoutFlag is a flag given several times: 60s for every request, and
// METHOD=5m for one of them.
type timeoutFlag struct {
	limits *session.Limits
	plain  bool // plain: one was given for every request.
}

func (f *timeoutFlag) String() string {
	if f.limits == nil {
		return ""
	}
	return f.limits.Timeout.String()
}
func (f *timeoutFlag) Type() string { return "[METHOD=]DURATION" }
func (f *timeoutFlag) Set(text string) error {
	method, span, one := strings.Cut(text, "=")
	if !one {
		span = text
	}
	d, err := time.ParseDuration(span)
	if err != nil || d <= 0 || one && method == "" {
		return fmt.Errorf("%q is not a timeout, try 60s or tools/call=5m", text)
	}
	if !one {
		f.limits.Timeout, f.plain = d, true
		return nil
	}
	if f.limits.Timeouts == nil {
		f.limits.Timeouts = map[string]time.Duration{}
	}
	f.limits.Timeouts[method] = d
	return nil
}

// limitFlags adds the flags that say from when on something is too slow or too
// long.
func limitFlags(cmd *cobra.Command, limits *session.Limits) {
	*limits = session.DefaultLimits()
	cmd.Flags().Var(&timeoutFlag{limits: limits}, "timeout", "when a request is given up; METHOD=DURATION for one method, repeatable")
	cmd.Flags().Var((*sizeFlag)(&limits.MaxLine), "max-line", "length from which on a line is an error")
	cmd.Flags().Var((*sizesFlag)(&limits.Lines), "line-steps", "lengths below it that are worth a note")
}

// limitSettings takes the limits of config.toml where the flags say nothing.
func limitSettings(cmd *cobra.Command) error {
	dir, err := config.Dir()
	if err != nil {
		return nil // no home folder, no settings
	}
	// What else is wrong with the file is said where the screen reads it.
	set, _ := config.Load(dir)
	for flag, value := range map[string]string{"timeout": set.Limits.Timeout, "max-line": set.Limits.MaxLine} {
		f := cmd.Flags().Lookup(flag)
		if f == nil || f.Changed || value == "" {
			continue
		}
		if err := f.Value.Set(value); err != nil {
			return usage("correct it in "+filepath.Join(dir, "config.toml"), "limits: %w", err)
		}
	}
	return nil
}

// wantsColour reports whether a stream to people may be coloured: it is a
// terminal that can, and the user did not say no.
func wantsColour(w any) bool {
	return isTerminal(w) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}
