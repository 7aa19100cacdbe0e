// Package recording has the rules for the session file itself: what it lacks, so that
// what is found in it is not all.
package recording
