package term

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/clientconfig"
	"wiretea/session/text"
	"wiretea/ui/config"
)

// SizeFlag is a flag that holds a size in bytes: 10MiB, 64k.
type SizeFlag int64

func (f *SizeFlag) String() string { return text.ExactSize(int64(*f)) }
func (f *SizeFlag) Type() string   { return "SIZE" }
func (f *SizeFlag) Set(words string) error {
	n, err := text.ParseSize(words)
	*f = SizeFlag(n)
	return err
}

// sizesFlag is a flag that holds ascending sizes: 64KiB,1MiB,8MiB.
type sizesFlag []int64

func (f *sizesFlag) String() string {
	words := make([]string, len(*f))
	for i, n := range *f {
		words[i] = text.ExactSize(n)
	}
	return strings.Join(words, ",")
}
func (f *sizesFlag) Type() string { return "SIZES" }
func (f *sizesFlag) Set(words string) error {
	*f = nil
	for word := range strings.SplitSeq(words, ",") {
		n, err := text.ParseSize(word)
		if err != nil {
			return err
		}
		if len(*f) > 0 && n <= (*f)[len(*f)-1] {
			return fmt.Errorf("%q does not ascend", words)
		}
		*f = append(*f, n)
	}
	return nil
}

// TimeoutFlag is a flag given several times: 60s for every request, and
// METHOD=5m for one of them.
type TimeoutFlag struct {
	Limits *session.Limits
	Plain  bool // Plain: one was given for every request.
}

func (f *TimeoutFlag) String() string {
	if f.Limits == nil {
		return ""
	}
	return f.Limits.Timeout.String()
}
func (f *TimeoutFlag) Type() string { return "[METHOD=]DURATION" }
func (f *TimeoutFlag) Set(text string) error {
	method, span, one := strings.Cut(text, "=")
	if !one {
		span = text
	}
	d, err := time.ParseDuration(span)
	if err != nil || d <= 0 || one && method == "" {
		return fmt.Errorf("%q is not a timeout, try 60s or tools/call=5m", text)
	}
	if !one {
		f.Limits.Timeout, f.Plain = d, true
		return nil
	}
	if f.Limits.Timeouts == nil {
		f.Limits.Timeouts = map[string]time.Duration{}
	}
	f.Limits.Timeouts[method] = d
	return nil
}

// LimitFlags adds the flags that say from when on something is too slow or too
// long.
func LimitFlags(cmd *cobra.Command, limits *session.Limits) {
	*limits = session.DefaultLimits()
	cmd.Flags().Var(&TimeoutFlag{Limits: limits}, "timeout", "how long a request may take; METHOD=DURATION for one method, repeatable")
	cmd.Flags().Var((*SizeFlag)(&limits.MaxLine), "max-line", "lines of this length or longer are errors")
	cmd.Flags().Var((*sizesFlag)(&limits.Lines), "line-steps", "shorter lengths that are reported as notes")
}

// LimitSettings takes the limits of config.toml for flags that were not given.
func LimitSettings(cmd *cobra.Command) error {
	return limitSettings(func(flag string) pflag.Value {
		if f := cmd.Flags().Lookup(flag); f != nil && !f.Changed {
			return f.Value
		}
		return nil
	})
}

// DefaultLimits returns the limits of config.toml, else the default ones.
func DefaultLimits() (session.Limits, error) {
	limits := session.DefaultLimits()
	values := map[string]pflag.Value{"timeout": &TimeoutFlag{Limits: &limits}, "max-line": (*SizeFlag)(&limits.MaxLine)}
	err := limitSettings(func(flag string) pflag.Value { return values[flag] })
	return limits, err
}

// limitSettings sets the flags that config.toml has limits for. flag returns nil for
// one that is left alone.
func limitSettings(flag func(name string) pflag.Value) error {
	dir, err := config.Dir()
	if err != nil {
		return nil // no home folder, no settings
	}
	// The screen says what else is wrong with the file.
	set, _ := config.Load(dir)
	for name, value := range map[string]string{"timeout": set.Limits.Timeout, "max-line": set.Limits.MaxLine} {
		f := flag(name)
		if f == nil || value == "" {
			continue
		}
		if err := f.Set(value); err != nil {
			return Usage("correct it in "+filepath.Join(dir, "config.toml"), "limits: %w", err)
		}
	}
	return nil
}

// AgeFlag is a flag that holds a time span, also in days: 30d, 12h.
type AgeFlag time.Duration

func (f *AgeFlag) String() string { return text.Age(time.Duration(*f)) }

func (f *AgeFlag) Type() string { return "AGE" }

func (f *AgeFlag) Set(words string) error {
	d, err := text.ParseAge(words)
	*f = AgeFlag(d)
	return err
}

// SessionsPolicy returns the limits of the sessions folder: those of config.toml, else
// the default ones.
func SessionsPolicy() recorder.Policy {
	p := recorder.DefaultPolicy
	dir, err := config.Dir()
	if err != nil {
		return p // no home folder, no settings
	}
	// The screen says what is wrong with the file.
	set, _ := config.Load(dir)
	age, size := AgeFlag(p.MaxAge), SizeFlag(p.MaxBytes)
	if set.Limits.MaxAge != "" && age.Set(set.Limits.MaxAge) == nil {
		p.MaxAge = time.Duration(age)
	}
	if set.Limits.MaxDisk != "" && size.Set(set.Limits.MaxDisk) == nil {
		p.MaxBytes = int64(size)
	}
	return p
}

// ClientPlace is where this user's clients keep their files. An empty project is
// the current folder.
func ClientPlace(project string) (clientconfig.Place, error) {
	home, err := recorder.HomeFolder()
	if err != nil {
		return clientconfig.Place{}, Usage("set HOME", "%w", err)
	}
	if info, err := os.Stat(project); project != "" && (err != nil || !info.IsDir()) {
		return clientconfig.Place{}, Usage("--project wants the folder that holds .cursor, .vscode, .mcp.json, …", "no such folder: %s", Visible(project))
	}
	if project, err = filepath.Abs(project); err != nil {
		return clientconfig.Place{}, Usage("change to a folder that exists", "finding the current folder: %w", err)
	}
	return clientconfig.Place{Home: home, Project: project, OS: runtime.GOOS, Getenv: os.Getenv}, nil
}
