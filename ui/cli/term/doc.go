// Package term is what the commands share towards the terminal and the shell: exit
// codes and errors with a hint, flags for sizes, ages and limits, the line that shows
// what is waited for, printing a session as text, and finding recordings by name.
//
// It imports no command. Text that a peer, a file or a file name controls goes into a
// sentence through Visible only, and whatever a command prints goes to a terminal through
// Output only.
package term
