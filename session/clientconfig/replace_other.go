//go:build !unix

package clientconfig

import "io/fs"

// notReplaceable says what replacing a file by rename would lose. Owners and
// links are not looked at here.
func notReplaceable(fs.FileInfo) string { return "" }
