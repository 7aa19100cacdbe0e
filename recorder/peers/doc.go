// Package peers reads what the two peers of a connection say of themselves:
// their names, versions and capabilities, from initialize, server/discover and
// the metadata of modern requests and results.
//
// It reads bodies and is for commands. It takes what it finds and judges
// nothing: a member that is not what it should be is as if it were absent.
package peers
