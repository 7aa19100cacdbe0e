// Package recordertest makes synthetic session files for tests and benchmarks.
// No package of the product imports it.
package recordertest
