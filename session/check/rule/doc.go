// Package rule defines the rules of the catalogue as values, and what the
// families of rules share.
//
//	Rule, Family                 the catalogue's entries
//	Text, Ref                    what rules.txt says about a rule; parsed when first needed
//	Rule.At                      the finding of a rule at an event
//	ByClient, IsAnswer, …        what kind of event or message it is
//	PerConn, Coverage, KeySet    bounded state of a connection
//	Walk, Member, Object         JSON text, read without decoding all of it
//	Short, NameOf, TypeName, …   values and names as a message writes them
//
// It has no rule of its own, does no I/O and reads no clock.
package rule
