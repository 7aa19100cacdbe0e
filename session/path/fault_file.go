package path

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/BurntSushi/toml"

	"wiretea/session/atomicfile"
)

// maxFile is the longest file of faults, in bytes, and maxFaults how many it has at most.
const (
	maxFile   = 1 << 20
	maxFaults = 1000
)

// file is the text of such a file.
type file struct {
	Faults struct {
		Seed uint64   `toml:"seed"`
		List []string `toml:"list"`
	} `toml:"faults"`
}

// OpenFaults reads the faults of a TOML file:
//
//	[faults]
//	seed = 7                # of those that have none
//	list = [
//	  "m:tools/call is:response: delay(2s) n=3",
//	  "d:s2c: truncate p=0.05",
//	]
//
// The error says in one line what is wrong, and where.
func OpenFaults(path string) (Faults, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("the file has more than %d MiB", maxFile>>20)
	}
	var text []byte
	if err == nil {
		text, err = atomicfile.Read(path, maxFile)
	}
	var all Faults
	if err == nil {
		all, err = ParseFaults(text)
	}
	if at, ok := errors.AsType[*os.PathError](err); ok {
		err = at.Err
	}
	if err != nil {
		return nil, fmt.Errorf("faults %s: %w", path, err)
	}
	return all, nil
}

// ParseFaults compiles the text of such a file.
func ParseFaults(text []byte) (Faults, error) {
	var f file
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return nil, fileError(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s is not a key of such a file: it has [faults] with seed and list", unknown[0])
	}
	if len(f.Faults.List) == 0 || len(f.Faults.List) > maxFaults {
		return nil, fmt.Errorf("[faults] list has %d faults: it has 1 to %d", len(f.Faults.List), maxFaults)
	}
	var all Faults
	for i, spec := range f.Faults.List {
		one, err := ParseFault(spec)
		if err != nil {
			return nil, fmt.Errorf("line %d, list[%d]: %w", lineOf(text, spec), i, err)
		}
		one.Seed(f.Faults.Seed + uint64(i))
		all = append(all, one)
	}
	return all, nil
}

// lineOf is the line of a fault in a file, from 1; that of its list where it is written with
// escapes.
func lineOf(text []byte, spec string) int {
	whole := string(text)
	at := strings.Index(whole, spec)
	if at < 0 || spec == "" {
		at = max(0, strings.Index(whole, "list"))
	}
	return strings.Count(whole[:at], "\n") + 1
}
