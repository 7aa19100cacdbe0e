// Package atomicfile writes files whole: a reader of the path, and a program
// started after a crash, find the old content or the new content, never a part.
//
//	Write ─► temporary file in the same directory ─► fill ─► fsync ─► Check ─► rename
//
// The new content is brought to the disk before the rename, because some file
// systems would otherwise show an empty file after a power failure. Only caches
// that their reader verifies set NoSync. The directory is not synchronized: after
// a power failure the path may still have its old content.
//
// The temporary file is named .wiretea-*, is readable by its owner alone until it
// is complete, and is removed on every error. A process that is killed leaves it
// behind; nothing reads it.
//
// A symbolic link at the path is replaced, not followed: callers that want to keep
// the link resolve it first. Ownership, access control lists and hard links of the
// old file are not carried over.
//
// Open and Read are for files that others may have put there: they never wait, and read
// regular files only.
//
// On Windows the rename fails, and the old file stays, while another program has
// the old file open; of Mode only the owner's write permission counts.
//
// CheckFolder, MakeFolder and TempFolder are for folders that are the user's alone, also among the temporary files, where
// any other user may have made one of that name before.
package atomicfile
