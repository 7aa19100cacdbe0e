// Libraries prints one line. It imports the libraries that wiretea needs and does not use
// them: Go initialises every package that is linked, so this is the least that the start of
// wiretea can cost.
package main
