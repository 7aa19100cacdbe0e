package flags

import (
	"fmt"
	"strconv"
	"strings"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// leastRing is the smallest size of a ring's file, in bytes: each repeats the
// handshake.
const leastRing = 64 << 10

// ringFlag is a flag that holds a ring: size=64MiB,files=8.
type ringFlag recorder.Ring

func (f *ringFlag) String() string {
	if f.Size == 0 {
		return ""
	}
	return fmt.Sprintf("size=%s,files=%d", term.SizeWord(f.Size), f.Files)
}
func (f *ringFlag) Type() string { return "size=SIZE,files=N" }
func (f *ringFlag) Set(text string) error {
	ring := ringFlag{Files: 8}
	for word := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(word, "=")
		var err error
		switch name {
		case "size":
			ring.Size, err = format.ParseSize(value)
		case "files":
			ring.Files, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("%q is neither a size nor a number of files", name)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case ring.Size < leastRing:
		return fmt.Errorf("the files of a ring have at least %s", term.SizeWord(leastRing))
	case ring.Files < 2:
		return fmt.Errorf("a ring has at least two files")
	}
	*f = ring
	return nil
}
