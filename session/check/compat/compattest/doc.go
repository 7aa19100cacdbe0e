// Package compattest has a response without faults and an example of each fault of
// package compat, for tests.
package compattest
