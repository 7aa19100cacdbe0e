package check

import "testing"

func TestHashID(t *testing.T) {
	same := [][]string{{`1`, `1.0`, `1e0`}, {`"a"`, `"\u0061"`}, {`"1"`}, {`"1.0"`}, {`-1`}, {`""`}, {`9007199254740993`}, {`"a/b"`, `"a\/b"`}}
	seen := map[uint64]string{}
	for _, group := range same {
		first, _ := hashID(group[0])
		if other, clash := seen[first]; clash {
			t.Errorf("%s and %s have the same hash", group[0], other)
		}
		seen[first] = group[0]
		for _, raw := range group {
			if h, ok := hashID([]byte(raw)); !ok || h != first {
				t.Errorf("%s is another one than %s, or none", raw, group[0])
			}
		}
	}
	one, _ := hashID(`1`)
	if text, _ := hashID(`"1"`); text != one^textMark {
		t.Error(`1 and "1" do not differ by their mark alone`)
	}
	for _, none := range []string{``, `null`, `true`, `{}`, `[1]`} {
		if _, ok := hashID(none); ok {
			t.Errorf("%s is an id", none)
		}
	}
}
