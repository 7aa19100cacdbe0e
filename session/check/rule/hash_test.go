package rule

import "testing"

func TestHashID(t *testing.T) {
	same := [][]string{{`1`, `1.0`, `1e0`}, {`"a"`, `"\u0061"`}, {`"1"`}, {`"1.0"`}, {`-1`}, {`""`}, {`9007199254740993`}, {`"a/b"`, `"a\/b"`}}
	seen := map[uint64]string{}
	for _, group := range same {
		first, _ := HashID(group[0])
		if other, clash := seen[first]; clash {
			t.Errorf("%s and %s have the same hash", group[0], other)
		}
		seen[first] = group[0]
		for _, raw := range group {
			if h, ok := HashID([]byte(raw)); !ok || h != first {
				t.Errorf("%s is another one than %s, or none", raw, group[0])
			}
		}
	}
	one, _ := HashID(`1`)
	if text, _ := HashID(`"1"`); text != one^StringMark {
		t.Error(`1 and "1" do not differ by their mark alone`)
	}
	for _, none := range []string{``, `null`, `true`, `{}`, `[1]`} {
		if _, ok := HashID(none); ok {
			t.Errorf("%s is an id", none)
		}
	}
}
