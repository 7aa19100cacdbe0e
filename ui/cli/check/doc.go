// Package check holds the commands check and rules: what is wrong with a recording or a server, and what the rules say.
package check
