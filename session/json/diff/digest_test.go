package diff

import "testing"

func TestDigest(t *testing.T) {
	ignore, err := ParsePath(".id")
	if err != nil {
		t.Fatal(err)
	}
	same := [][2]string{
		{`{"a":1,"b":[1,2]}`, `{ "b":[1.0,2],"a":1e0 }`},
		{`{"id":1,"a":"\u00e9"}`, `{"id":"x","a":"é"}`},
		{`{"id":1}`, `{}`},
		{`"x"`, `"\u0078"`},
	}
	other := [][2]string{
		{`{"a":1}`, `{"a":"1"}`},
		{`[1,2]`, `[2,1]`},
		{`{"a":1}`, `{"a":1,"b":null}`},
		{`{"b":{"id":1}}`, `{"b":{"id":2}}`},
	}
	for i, pairs := range [][][2]string{same, other} {
		for _, p := range pairs {
			a, errA := Digest([]byte(p[0]), ignore)
			b, errB := Digest([]byte(p[1]), ignore)
			if errA != nil || errB != nil || (a == b) != (i == 0) {
				t.Errorf("%s and %s have the digests %x and %x (%v, %v)", p[0], p[1], a, b, errA, errB)
			}
			changes, err := Compare([]byte(p[0]), []byte(p[1]), ignore)
			if err != nil || (len(changes) == 0) != (i == 0) {
				t.Errorf("Compare says otherwise: %v, %v", changes, err)
			}
		}
	}
	if _, err := Digest([]byte(`{"a":`)); err == nil {
		t.Error("half a text has a digest")
	}
}
