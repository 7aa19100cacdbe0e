//go:build realpeers

package cli

import "testing"

// TestRealPeerReplay closes the circle with npm's server-everything: pages, progress,
// questions, images.
func TestRealPeerReplay(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--plain", "--root", t.TempDir(), "--sampling", "text:tea", "--elicitation", "decline"}
	for _, line := range []string{
		"tools/list", "resources/list", "prompts/list",
		`tools/call {"name":"echo","arguments":{"message":"hi"}}`,
		`tools/call {"name":"trigger-long-running-operation","arguments":{"duration":1,"steps":3},"_meta":{"progressToken":"p"}}`,
		`tools/call {"name":"trigger-sampling-request","arguments":{"prompt":"x","maxTokens":5}}`,
		`tools/call {"name":"get-roots-list","arguments":{}}`,
		`tools/call {"name":"get-tiny-image","arguments":{}}`,
	} {
		args = append(args, "--send", line)
	}
	closeCircle(t, args, peerPath(t, "node_modules", ".bin", "mcp-server-everything"))
}
