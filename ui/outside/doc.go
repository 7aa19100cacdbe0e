// Package outside opens URLs and files with other programs of the person at the screen. It
// waits for none of them, and gives no text to a shell.
package outside
