// Wiretea is an interactive inspector and debugger for the Model Context
// Protocol. See the README, or run wiretea --help.
package main

import (
	"os"

	"wiretea/ui/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
