// Package clients knows the configuration files of MCP clients: where they are,
// which servers they name, and how the tee is put in front of a server and taken
// out again.
//
//	Place ─► Find ─► []File ─► []Server
//	                   │ Wrap, Unwrap
//	                   ▼
//	                 Change ─► Diff (to look at) ─► Apply (backup, temporary file, rename)
//
// A wrapped entry starts the tee, which starts the server:
//
//	"command": "npx",                    "command": "/usr/local/bin/wiretea",
//	"args": ["-y", "some-server"]   ⇒    "args": ["tee", "--name", "some", "--", "npx", "-y", "some-server"]
//
// # Contract
//
//   - An edit changes the command and the args of one entry and no other byte of
//     the file: comments, order, indentation, trailing commas, CRLF and BOM stay.
//     Files are never marshalled.
//   - Unwrap after Wrap gives back the bytes that were there, from the file alone:
//     the text of the command and of each argument is moved, never rewritten, and
//     an entry that had no args is told from one that had none in its list by a
//     blank behind the bracket. The backup is for people.
//   - Wrapping what is wrapped, and unwrapping what is not, changes nothing.
//   - What is not understood is refused with the reason: duplicate keys on the way
//     to the entry, TOML's inline tables and dotted keys, values of another kind.
//   - A file is replaced as a whole or not at all, with its mode; a symbolic link
//     is followed and stays. A file that is read-only, another user's, or was
//     changed since it was read, is left as it is.
//   - Launch says how a server would be started, as its client does it, and refuses
//     variables by which a file could put code into programs (Loaders).
//   - Nothing that a file names is started, and no value of an environment
//     variable or header is printed.
//
// It does not know which servers run, and does not restart clients.
package clientconfig
