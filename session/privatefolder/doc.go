// Package privatefolder makes folders that are the user's alone, also among the
// temporary files, where anybody may have made one of that name before.
package privatefolder
