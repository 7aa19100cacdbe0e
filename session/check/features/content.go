package features

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var Content = rule.Family{
	Name:  "content",
	Title: "Members, lists and content",
	Rules: []*rule.Rule{nullMember, invalidMember, ListInvalid, missingContent, contentBlockInvalid, badBase64},
	New:   func() session.Checker { return &shapesConn{} },
}

var ListInvalid = &rule.Rule{
	ID:       "list-invalid",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "invalid list result",
	Explain: "The result of a list request has an array of entries, and each entry has its identifying members: tools, prompts and arguments of prompts a " +
		"name, resources a uri and a name, resource templates a uriTemplate and a name. Most official SDKs validate all entries at once and reject " +
		"the whole list because of one invalid entry, so the server appears to offer nothing.",
	Hint: "return the array, empty if there is nothing, and give each entry its required strings",
	Refs: []rule.Ref{{Page: "schema"}},
}

var missingContent = &rule.Rule{
	ID:       "missing-content",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "tool result without content",
	Explain: "The result of tools/call has an array content, in every revision, even if it has structuredContent. Clients that validate it report an error " +
		"instead of the result; others show nothing.",
	Hint: `return at least "content":[], preferably the result as text`,
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "tool-result"}},
}

var contentBlockInvalid = &rule.Rule{
	ID:       "content-block-invalid",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "invalid or unknown content block",
	Explain: "A block is text with text, an image or audio (from 2025-03-26) with data and mimeType, a resource_link (from 2025-06-18) with uri and name, " +
		"or a resource with its contents. Clients reject the whole result if a block has another type. Types of a later revision are unknown in an " +
		"earlier one.",
	Hint: "follow the schema of ContentBlock; convert content that the revision does not support to text",
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "tool-result"}},
}

var badBase64 = &rule.Rule{
	ID:       "bad-base64",
	Alone:    true,
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "binary data must be base64",
	Explain: "Images, audio and blobs use base64 with the standard alphabet. A data: URL, the URL-safe alphabet (- and _) and raw text are invalid: " +
		"clients reject the result, or show a broken image. Missing padding is a warning: many decoders accept it, Go's does not. Line breaks are " +
		"accepted.",
	Hint: "encode as standard base64 with padding, without a data: prefix",
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "image-content"}},
}
