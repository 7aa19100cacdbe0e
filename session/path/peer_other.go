//go:build unix && !linux && !darwin && !freebsd

package path

// peerUID is not known here: no viewer is served.
func peerUID(int) (uid int, ok bool) { return 0, false }
