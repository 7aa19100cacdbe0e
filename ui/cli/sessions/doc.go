// Package sessions holds the command sessions: the recordings of this user, as a list and one by one.
package sessions
