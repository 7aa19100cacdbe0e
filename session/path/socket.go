//go:build unix

package path

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"wiretea/session/atomicfile"
)

// maxPath is the longest path of a socket, in bytes: the system's limit is 104 or
// 108, its end included.
const maxPath = 100

const (
	socketEnding = ".sock"

	// staleAfter is how old a socket without a listener must be to be removed: one that
	// is being made is younger.
	staleAfter = time.Minute
)

// SocketPath returns where a process may listen for the viewers of a session: in
// the hidden folder .live of the sessions folder, which is an absolute path, or,
// where that does not do, in a folder of the user's own among the temporary files.
// The folder is made. One that others own or can open is not used, nor a path that
// is too long for a socket; where both are like that, it is an error.
func SocketPath(sessions, sid string) (string, error) {
	name := strconv.Itoa(os.Getpid()) + "-" + sid[:min(len(sid), 8)] + socketEnding
	var failed []error
	for _, folder := range []string{
		filepath.Join(sessions, ".live"),
		atomicfile.TempFolder(),
	} {
		path := filepath.Join(folder, name)
		err := fmt.Errorf("the path %s is too long", path)
		if len(path) <= maxPath {
			err = atomicfile.MakeFolder(folder)
		}
		if err == nil {
			return path, nil
		}
		failed = append(failed, err)
	}
	return "", fmt.Errorf("making a socket: %w", errors.Join(failed...))
}

// listen makes the socket.
func listen(path string) (*net.UnixListener, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Sweep removes the sockets beside path that have no listener, because their processes
// were killed.
func Sweep(path string) {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		other := filepath.Join(folder, e.Name())
		info, err := e.Info()
		if err != nil || other == path || !strings.HasSuffix(e.Name(), socketEnding) ||
			info.Mode().Type() != fs.ModeSocket || time.Since(info.ModTime()) < staleAfter {
			continue
		}
		conn, err := net.DialTimeout("unix", other, time.Second)
		if err == nil {
			conn.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(other) // Another one may have been faster.
		}
	}
}
