// Package fault breaks messages on purpose, to see how the other side takes it:
//
//	FILTER: KIND(ARGUMENT) p=0.1 n=3 seed=7
//
// A Fault applies to the messages that its filter matches, each with the probability p, at
// most n times. Which of them it applies to depends on its seed and on their order in their
// direction alone: the same messages get the same faults. Kinds lists what there is. Members
// of batches are left alone.
//
// Faults is a decide.Decider: the first Fault that applies to a message decides.
package fault
