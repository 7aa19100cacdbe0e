// Package report writes the verdicts of check, the outcome of replay, and what diff found,
// in the formats that people and CI systems read: text, JSON, JUnit, SARIF and the
// workflow commands of GitHub.
//
// A format is a file with one function and a line in the table of Formats. Text from
// peers is made visible or escaped in every format.
package report
