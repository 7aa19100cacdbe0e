//go:build !unix

package recorder

import (
	"fmt"
	"os"
)

// identity tells the file at path from what it was before it was changed.
func identity(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()), nil
}
