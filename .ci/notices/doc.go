// Command notices writes the licences of what the binary is made of to a file, or with
// -check compares them with it:
//
//	go run ./.ci/notices -check ui/cli/notices.txt
//
// The file has each module that the binary links on any of the systems it is built for,
// and the Go library, in the order of their names.
package main
