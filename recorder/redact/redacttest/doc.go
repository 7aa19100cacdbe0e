// Package redacttest makes a session with more than fifty kinds of secret in it,
// for the tests of whatever must give none of them away. The secrets are made up.
//
// It is for tests only.
package redacttest
