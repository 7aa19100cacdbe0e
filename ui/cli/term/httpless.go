package term

import "strings"

// Httpless refuses a URL in the place of a server's command.
func Httpless(argv []string) error {
	if len(argv) == 0 || !strings.HasPrefix(argv[0], "http://") && !strings.HasPrefix(argv[0], "https://") {
		return nil
	}
	return Usage("a server on stdio works today, so does a bridge: -- npx -y mcp-remote "+argv[0], "servers over Streamable HTTP cannot be reached yet")
}
