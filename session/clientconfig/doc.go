// Package clientconfig knows the configuration files of MCP clients: where they are,
// which servers they name, and how to put the tee in front of a server and remove it.
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
// An entry with a URL becomes one that starts the tee, which calls the URL. A variable has the
// bytes of the entry:
//
//	"url": "https://example.com/mcp"  ⇒  "command": "/usr/local/bin/wiretea", "args": ["tee", "--name", "some", "https://example.com/mcp"],
//	                                     "env": {"WIRETEA_ENTRY": "…"}
//
// # Contract
//
//   - An edit changes the command and the args of one entry, or writes an entry with a URL
//     anew, and no other byte of the file: comments, order, indentation, trailing commas, CRLF and BOM stay.
//     Files are never marshalled.
//   - Unwrap after Wrap restores the bytes from the file alone: the text of the command
//     and of each argument is moved, never rewritten, and a space after the bracket
//     marks an entry that had no args, as opposed to an empty list; in YAML a list without
//     brackets does. The backup is for people.
//   - Wrapping what is wrapped, and unwrapping what is not, changes nothing.
//   - An edit is refused, with the reason, for duplicate keys on the way to the entry,
//     TOML's inline tables and dotted keys, YAML's entries in braces and texts over several
//     lines, and values of another type.
//   - A file is replaced as a whole or not at all, with its mode; a symbolic link
//     is followed and stays. A file that is read-only, belongs to another user, or was
//     changed since it was read, is not written.
//   - Launch says how a server would be started, as its client does it, and refuses
//     the dynamic linker's variables (Loaders). Of a project's file, a person must have
//     seen every variable with its value but those that are familiar (Unfamiliar).
//   - Nothing that a file names is started, and no value of an environment
//     variable or header is printed here.
//
// The package does not know which servers run, and does not restart clients.
package clientconfig
