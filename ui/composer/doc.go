// Package composer is the form in which a message to the server is composed, and what goes
// with it: what the server offers, the history of what was sent, and repetition.
//
//	request, item of tools, method ─► recipe ─ command ─► form.Form ─ sent ─► requests
//
// A Composer belongs to one tab. While it is open it takes all keys that no box takes; what
// was typed before its form is made goes to the form afterwards. What is filled in and not
// sent stays as the draft. The bytes that are sent are those that the form shows.
package composer
