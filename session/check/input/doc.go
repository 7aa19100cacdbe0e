// Package input has the rules for what servers request from clients: sampling,
// elicitation and roots, as requests of the server and, from 2026-07-28 on, as
// results of type input_required.
package input
