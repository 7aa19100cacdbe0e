package rule

import (
	"strings"

	"wiretea/session/mcp"
)

// Capabilities are the declared capabilities of one side, by path. nil means
// unknown.
type Capabilities map[string]bool

// CapabilitiesOf reads declared capabilities. It returns nil if they cannot be
// read.
func CapabilitiesOf(text []byte, side mcp.Side) Capabilities {
	root, ok := ParseObject(text)
	if !ok {
		return nil
	}
	all := mcp.Capabilities()
	set := Capabilities{}
	for i := range all {
		if all[i].Side == side && declares(root, &all[i]) {
			set[all[i].Path] = true
		}
	}
	return set
}

// declares reports whether a capability is in the tree. A flag must be true;
// any other value but null and false declares the capability.
func declares(tree Object, c *mcp.Capability) bool {
	keys := strings.Split(c.Path, ".")
	for _, key := range keys[:len(keys)-1] {
		tree, _ = tree.Object(key)
	}
	last := keys[len(keys)-1]
	if c.Flag {
		return tree.Flag(last)
	}
	text := string(tree[last])
	return text != "" && text != "null" && text != "false"
}
