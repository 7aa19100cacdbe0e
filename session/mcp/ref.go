package mcp

const specification = "https://modelcontextprotocol.io/specification/"

// Ref returns the address of a page of the specification: page is its path below
// the revision ("basic/transports"), anchor the heading's fragment ("stdio"),
// empty for the page's top. Where v has no pages of its own (V0) the nearest
// revision's are named; NoVersion means the latest.
func Ref(v Version, page, anchor string) string {
	switch v {
	case NoVersion:
		v = LatestModern
	case V0:
		v = V1
	}
	url := specification + v.String() + "/" + page
	if anchor != "" {
		url += "#" + anchor
	}
	return url
}
