// Package features has the rules for what servers offer: tools, resources,
// prompts, completion and log messages, the content of results, and paginated
// lists.
package features
