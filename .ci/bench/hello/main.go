// Hello prints one line: the least that a start of a Go program costs.
package main

import "fmt"

func main() { fmt.Println("hello") }
