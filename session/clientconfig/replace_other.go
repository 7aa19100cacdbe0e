//go:build !unix

package clientconfig

import "io/fs"

// notReplaceable says what replacing a file by rename would lose. Owners and
// links are not looked at here.
func notReplaceable(fs.FileInfo) string { return "" }

// mayReplaceIn reports whether files in a folder can be created and removed. That
// is not looked at here.
func mayReplaceIn(string) bool { return true }
