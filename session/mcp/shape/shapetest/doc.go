// Package shapetest has results, notifications and requests of servers in which every
// member of the protocol is present, and makes all texts that differ from one of them
// in one place, for tests.
package shapetest
