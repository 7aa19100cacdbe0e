package text

import "testing"

func TestTable(t *testing.T) {
	table := Table{Indent: "  ", Right: []int{1}}
	table.Add("name", "size", "state")
	table.Add("日本語", "1.2 kB", "live")
	table.Add("a\x1b[31mb", "12 B", "")
	const want = `  name       size  state
  日本語   1.2 kB  live
  a␛[31mb    12 B
`
	if got := table.String(); got != want {
		t.Errorf("table is\n%s\nwant\n%s", got, want)
	}
	if got := new(Table).String(); got != "" {
		t.Errorf("an empty table is %q", got)
	}
}
