// Package near finds the name that a writer meant by another one: by its letters, whatever
// their case and what joins its words, and by its distance.
package near
