// Package features has the rules for what servers offer: tools, resources,
// prompts, completion, log messages, the content of results, and lists with their
// pages.
package features
