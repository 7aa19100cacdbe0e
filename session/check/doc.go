// Package check is the catalogue of the rules for an MCP session.
//
//	session.Analyzer ─ Event ─► one checker a family ─ Finding ─► Analyzer
//
// A rule is a value (package rule): its id, severity, the side at fault and the
// revisions it applies to. What it means, how to fix it and its references into
// the specification are in rule/rules.txt, the clients that break in package
// compat. A family is a group of rules with the checker that applies them.
// Related families share a package and import packages rule and cause only,
// never one another. This package lists the families and renders their rules:
// All is the catalogue, New makes a fresh set of checkers for one session.
//
// To add a rule, write its value in its family's package and its texts in
// rule/rules.txt, and add it to the family's Rules. Add a conversation in
// testdata that triggers the rule, and a near miss.
//
// A false accusation is the worst defect of this package. Rules apply only to
// the effective revision of the message, allow for legal races, and report
// nothing if the recording does not show enough. Every rule has a conversation
// in testdata that triggers it and no other rule, and a near miss that must
// cause no finding.
//
// Checkers read no clock and do no I/O. The size of their state is bounded.
package check
