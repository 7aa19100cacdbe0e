package mcp

const specification = "https://modelcontextprotocol.io/specification/"

// Ref returns the URL of a page of the specification: page is its path below
// the revision ("basic/transports"), anchor the heading's fragment ("stdio"),
// empty for the top of the page. For a revision without pages (V0) the nearest
// revision is used; NoVersion means the latest.
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
