// Package commands knows the commands that start servers: node, npx, python, uvx,
// docker and their like.
package commands
