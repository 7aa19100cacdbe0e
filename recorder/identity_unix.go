//go:build unix

package recorder

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// identity tells the file at path from every other one, and from what it was before it
// was changed: no program sets the time at which a file was changed last.
func identity(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return fmt.Sprintf("%d %d %d %d.%09d", st.Dev, st.Ino, st.Size, int64(st.Ctim.Sec), int64(st.Ctim.Nsec)), nil
}
