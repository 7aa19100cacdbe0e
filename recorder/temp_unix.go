//go:build unix

package recorder

import "os"

// unlinkedTemp makes a temporary file without a name: it goes with the process,
// however that ends.
func unlinkedTemp() (medium, error) {
	f, err := os.CreateTemp("", "wiretea-*.mcpcap.jsonl")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return osFile{f}, nil
}
