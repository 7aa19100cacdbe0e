// Package offers has the rules for what the sides offer each other. A server
// offers tools, resources, prompts, completion and log messages, in paginated
// lists. A client offers sampling, elicitation and roots, which the server asks
// for in requests and, from 2026-07-28 on, in results of type input_required.
package offers
