// Package policy is an ordered list of rules that say which messages may cross:
//
//	default = "deny"
//	on_error = "closed"
//
//	[[rule]]
//	id = "no-shell"
//	filter = "m:tools/call t:shell"
//	action = "deny"
//	reason = "commands are run by people"
//
// Parse compiles the whole text, or says what is wrong with it. The first rule that matches
// a request or a notification counts; where none does, the default. A rule judges responses
// only where its filter says is:response or is:error, and the default never does. The
// default does not apply to what a session needs to begin, to stay alive and to end a
// request: see exempt.
//
// The actions ask and hold have a message wait for a person: session/control does that, and
// refuses or releases it after the rule's timeout.
//
// A Policy is a decide.Decider, is never changed, and may be used from several goroutines.
// A File is a policy that is read again when its file changes.
package policy
