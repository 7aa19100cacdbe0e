// Package rehearsal says what a policy would have done to a recorded session, and writes the
// least policy that would have let it pass. It reads the messages as the peers sent them,
// whatever was decided on them at the time, and changes nothing.
package rehearsal
