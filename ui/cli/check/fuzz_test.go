package check

import (
	"os"
	"testing"

	"wiretea/recorder/verdict/project"

	"github.com/spf13/cobra"
)

// FuzzSettings checks that no wiretea.toml brings check down.
func FuzzSettings(f *testing.F) {
	f.Chdir(f.TempDir())
	f.Add([]byte("[check]\nera = \"both\"\ncall = ['a={}']\nignore = [\"crlf-line-ending\"]\nmax-latency = {\"tools/call\" = \"1s\"}\n"))
	f.Add([]byte("[check]\nbaseline = \"../x\"\n"))
	f.Add([]byte("[check]\nprobe = 1\n[other]\nx = [[{}]]\n"))
	f.Add([]byte("[check]\nmax-line = \"9999999999999999999GiB\"\nseverity = {a = \"b\"}\nfail-on = \"\\u0000\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(project.File, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var o checkOptions
		cmd := &cobra.Command{}
		o.flags(cmd)
		if err := o.settings(cmd); err != nil {
			return
		}
		_, _ = o.hold.policy()
	})
}
