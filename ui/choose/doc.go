// Package choose is a list from which one line is chosen, searched by typing. It
// keeps the search, what it finds and the cursor; what the lines are, and how they
// look, is for those that have such a list.
package choose
