package style

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2/styles"
)

var update = flag.Bool("update", false, "copy the style files of chroma anew")

// TestStylesAreChromas holds that the copied style files are those of the version
// of chroma that go.mod names.
func TestStylesAreChromas(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2/styles").Output()
	if err != nil {
		t.Fatal(err)
	}
	from := strings.TrimSpace(string(dir))
	licence := map[string]string{"COPYING": filepath.Join(filepath.Dir(from), "COPYING")}
	files, err := filepath.Glob(filepath.Join(from, "*.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		licence[strings.ToLower(filepath.Base(f))] = f
	}
	for name, source := range licence {
		want, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join("chroma", name)
		if *update {
			if err := os.WriteFile(copied, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(copied); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from chroma's, run go generate (%v)", copied, err)
		}
	}
	if got, want := chromaNames(), styles.Names(); !slices.Equal(got, want) {
		t.Errorf("styles are %q, chroma has %q", got, want)
	}
	for _, name := range chromaNames() {
		if s := readChroma(name); s == nil || !strings.EqualFold(s.Name, name) {
			t.Errorf("%s cannot be read: %v", name, s)
		}
	}
}
