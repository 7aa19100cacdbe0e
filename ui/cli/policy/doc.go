// Package policy is the command policy: it explains a policy, and says what it would have
// decided on the messages of recordings.
package policy
