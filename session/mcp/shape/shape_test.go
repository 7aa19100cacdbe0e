package shape

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"wiretea/session/mcp"
	"wiretea/session/mcp/shape/shapetest"
)

// allSamples are the samples of both eras with a revision of each.
func allSamples() map[mcp.Version][]shapetest.Sample {
	return map[mcp.Version][]shapetest.Sample{mcp.V4: append(shapetest.Legacy(), shapetest.Answers()...), mcp.V5: shapetest.Modern()}
}

// typeOf is the type that a sample is of.
func typeOf(s shapetest.Sample, v mcp.Version) *Type {
	switch {
	case s.Params:
		return Params(s.Method, v)
	case s.Type() != "":
		return Named(s.Type(), v)
	}
	return Result(s.Method, v)
}

// An older revision's sample has no members that the revision does not have.
func older(t *Type, v any) any {
	switch v := v.(type) {
	case []any:
		kept := []any{}
		for _, item := range v {
			if inner := itemOf(t); inner.caseOfValue(item) == nil || !inner.caseOfValue(item).foreign {
				kept = append(kept, older(inner, item))
			}
		}
		return kept
	case map[string]any:
		if m := t.caseOfValue(v); m != nil {
			t = m.is
		}
		for name, value := range v {
			switch i := t.index([]byte(`"` + name + `"`)); {
			case t.kind == mapping:
				v[name] = older(t.of, value)
			case i >= 0 && t.members[i].foreign:
				delete(v, name)
			case i >= 0:
				v[name] = older(t.members[i].is, value)
			}
		}
	}
	return v
}

func itemOf(t *Type) *Type {
	if t.of == nil {
		return t
	}
	return t.of
}

// caseOfValue is the case of a union that a value is of, nil where it is none.
func (t *Type) caseOfValue(v any) *member {
	if t.kind == oneOrList {
		t = t.of
	}
	o, _ := v.(map[string]any)
	tag, ok := o[t.tag].(string)
	if !ok {
		tag = t.without
	}
	if i := slices.IndexFunc(t.members, func(m member) bool { return m.name == tag }); t.kind == union && i >= 0 {
		return &t.members[i]
	}
	return nil
}

// allows is what the table says of a decoded value, told in another way than by the
// judge. What is foreign is allowed.
func allows(t *Type, v any) bool {
	n, isNumber := v.(float64)
	s, isString := v.(string)
	items, isList := v.([]any)
	o, isObject := v.(map[string]any)
	whole := isNumber && n == math.Trunc(n)
	switch t.kind {
	case str:
		return isString
	case base64, uri, date, timestamp: // The mutations have no string with half a format.
		return isString && len(s) > 1
	case oneOf:
		return isString && slices.Contains(t.words, s)
	case boolean:
		_, ok := v.(bool)
		return ok
	case number:
		return isNumber
	case integer:
		return whole
	case natural:
		return whole && n >= 0
	case fraction:
		return isNumber && n >= 0 && n <= 1
	case lifetime:
		return whole || v == nil
	case id:
		return whole || isString
	case object:
		return isObject
	}
	every := func(t *Type, values []any) bool {
		return !slices.ContainsFunc(values, func(v any) bool { return !allows(t, v) })
	}
	switch {
	case t.kind == anyValue:
		return true
	case isList && (t.kind == oneOrList || t.kind == list):
		return every(t.of, items)
	case t.kind == list:
		return false
	case t.kind == oneOrList:
		return allows(t.of, v)
	case !isObject:
		return false
	case t.kind == mapping:
		for _, value := range o {
			if !allows(t.of, value) {
				return false
			}
		}
		return true
	case t.kind == union:
		m := t.caseOfValue(o)
		if tag, has := o[t.tag]; has && m != nil && tag != m.name {
			return false
		}
		return m != nil && !m.foreign && allows(m.is, o)
	}
	return allowsMembers(t, o)
}

func allowsMembers(t *Type, o map[string]any) bool {
	if t.kind == either {
		_, first := o[t.words[0]].(string)
		_, second := o[t.words[1]].(string)
		if !first && !second || second && !allows(t.members[t.index([]byte(`"`+t.words[1]+`"`))].is, o[t.words[1]]) {
			return false
		}
	}
	for i := range t.members {
		m := &t.members[i]
		value, has := o[m.name]
		isWord := t.kind == either && slices.Contains(t.words, m.name)
		if m.required && !has || has && !m.foreign && !isWord && !allows(m.is, value) {
			return false
		}
	}
	return true
}

// Each text that differs from a valid one in one place has exactly the fault that the
// table says, at that place, and a text without one has none.
func TestMutations(t *testing.T) {
	var j Judge
	count := 0
	for v := mcp.V1; v <= mcp.V5; v++ {
		samples := allSamples()[mcp.V4]
		if v == mcp.V5 {
			samples = shapetest.Modern()
		}
		for _, s := range samples {
			is := typeOf(s, v)
			if is == nil || v == mcp.V3 && strings.Contains(s.Text, `"mode":"url"`) {
				continue
			}
			var decoded any
			if err := json.Unmarshal([]byte(s.Text), &decoded); err != nil {
				t.Fatalf("%s: %v", s.Text, err)
			}
			whole, _ := json.Marshal(older(is, decoded))
			if f := j.Faults(is, whole); len(f) > 0 || !allows(is, decoded) {
				t.Errorf("%v %s: the sample has the fault %+v", v, s.Method, f)
			}
			for _, m := range shapetest.Mutations(string(whole)) {
				count++
				checkMutation(t, &j, v, s.Method, is, m)
			}
		}
	}
	if count < 10_000 {
		t.Errorf("only %d mutations", count)
	}
}

func checkMutation(t *testing.T, j *Judge, v mcp.Version, method string, is *Type, m shapetest.Mutation) {
	t.Helper()
	var value any
	if err := json.Unmarshal(m.Text, &value); err != nil {
		t.Fatalf("%s %s: %v: %s", m.Path, m.How, err, m.Text)
	}
	found := j.Faults(is, m.Text)
	if ok := allows(is, value); ok != (len(found) == 0) {
		t.Errorf("%v %s: %s is %s, allowed: %v, found: %+v", v, method, m.Path, m.How, ok, found)
		return
	}
	for _, f := range found {
		at := strings.NewReplacer(`["`, ".", `"]`, "").Replace(f.Path)
		if strings.HasSuffix(m.Path, "mode") && m.How == "missing" {
			continue // Without it an elicitation is a form.
		}
		if inside := strings.HasPrefix(m.Path, at) || strings.HasPrefix(at, m.Path); !inside || f.Foreign {
			t.Errorf("%v %s: %s is %s, but the fault is at %s", v, method, m.Path, m.How, at)
		}
	}
	if len(found) > 1 {
		t.Errorf("%v %s: %s is %s has %d faults: %+v", v, method, m.Path, m.How, len(found), found)
	}
}

// The samples have every member of the table.
func TestSamplesAreWhole(t *testing.T) {
	met := map[string]bool{}
	for v, samples := range allSamples() {
		for _, s := range samples {
			var value any
			if err := json.Unmarshal([]byte(s.Text), &value); err != nil {
				t.Fatalf("%s: %v", s.Text, err)
			}
			meet(met, typeOf(s, v), value)
		}
	}
	for v := mcp.V4; v <= mcp.V5; v++ {
		for name, is := range revision(v).types {
			if is.kind != record && is.kind != either || met[name] {
				continue
			}
			for _, m := range is.members {
				if !met[m.place] && !m.foreign {
					t.Errorf("%v: no sample has %s", v, m.place)
				}
			}
		}
	}
}

func meet(met map[string]bool, t *Type, v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			meet(met, itemOf(t), item)
		}
	case map[string]any:
		if m := t.caseOfValue(v); m != nil {
			t = m.is
		}
		for name, value := range v {
			if i := t.index([]byte(`"` + name + `"`)); i >= 0 {
				met[t.members[i].place] = true
				meet(met, t.members[i].is, value)
			} else if t.kind == mapping {
				meet(met, t.of, value)
			}
		}
	}
}

// Of a member that another revision has, the fault is marked.
func TestForeign(t *testing.T) {
	var j Judge
	for _, test := range []struct {
		v    mcp.Version
		text string
		want string
	}{
		{mcp.V1, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"title":null}]}`, "tools[0].title null foreign"},
		{mcp.V5, `{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[{"name":"a","inputSchema":{"type":"object"},"execution":3}]}`, "tools[0].execution wrong type foreign"},
		{mcp.V4, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"title":null},{"name":"b","inputSchema":{"type":"object"},"title":null}]}`, "tools[0].title null 2"},
		{mcp.NoVersion, `{"tools":[{"name":"a","inputSchema":{"type":"object"},"title":null}]}`, "tools[0].title null"},
		{mcp.NoVersion, `{"tools":[]}`, ""},
		{mcp.V4, `{"t\u006fols":[{"n\u0061me":null,"inputSchema":{"type":"object"}}]}`, "tools[0].name null"},
		{mcp.V4, `{"tools":[{"name":"a","inputSchema":{"type":"object"}`, ""},
	} {
		var said []string
		for _, f := range j.Faults(Result(mcp.ToolsList, test.v), []byte(test.text)) {
			text := fmt.Sprint(f.Path, " ", f.Class)
			if f.Foreign {
				text += " foreign"
			}
			if f.Count > 1 {
				text += fmt.Sprint(" ", f.Count)
			}
			said = append(said, text)
		}
		if got := strings.Join(said, "; "); got != test.want {
			t.Errorf("%v %s: %s, want %s", test.v, test.text, got, test.want)
		}
	}
}

// A type of block that an earlier revision does not have is told with its revision.
func TestSince(t *testing.T) {
	var j Judge
	text := `{"content":[{"type":"audio","data":"aGk=","mimeType":"a/b"}]}`
	if f := j.Faults(Result(mcp.ToolsCall, mcp.V1), []byte(text)); len(f) != 1 || f[0].Since != mcp.V2 || f[0].Path != "content[0].type" {
		t.Errorf("%+v", f)
	}
	if f := j.Faults(Result(mcp.ToolsCall, mcp.NoVersion), []byte(text)); len(f) != 0 {
		t.Errorf("%+v", f)
	}
}

// Judging a text without faults allocates nothing.
func TestAllocations(t *testing.T) {
	var j Judge
	for v, samples := range allSamples() {
		for _, s := range samples {
			is, text := typeOf(s, v), []byte(s.Text)
			j.Faults(is, text)
			if n := testing.AllocsPerRun(10, func() { j.Faults(is, text) }); n > 0 {
				t.Errorf("%v %s: %v allocations", v, s.Method, n)
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	for v, samples := range allSamples() {
		for _, s := range samples {
			f.Add([]byte(s.Text), s.Method, uint8(v))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, method string, v uint8) {
		var j Judge
		version := mcp.Version(v % uint8(mcp.V5+1))
		for _, is := range []*Type{Result(method, version), Params(method, version)} {
			found := j.Faults(is, text)
			var value any
			if is == nil || json.Unmarshal(text, &value) != nil || !strings.HasPrefix(string(text), "{") {
				continue
			}
			if len(found) > maxFaults {
				t.Errorf("%d faults", len(found))
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	var j Judge
	is, text := Result(mcp.ToolsCall, mcp.V4), []byte(`{"content":[{"type":"text","text":"a short answer of a tool"}]}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		j.Faults(is, text)
	}
}

// TestTable holds that the table is of known methods and types, each of which is used.
func TestTable(t *testing.T) {
	used := map[string]bool{"methods": true, "InputRequiredResult": true, "CreateTaskResult": true} // Named finds the last two.
	for name, lines := range paragraphs.Get() {
		for _, line := range lines[1:] {
			for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" !/[]{}", r) }) {
				used[word] = true
			}
			if fields := strings.Fields(line); name == "methods" {
				if _, known := mcp.Lookup(fields[0]); !known {
					t.Errorf("no method %s", fields[0])
				}
				for _, is := range fields[1:3] {
					used[is] = true
					if is != "-" && paragraphs.Get()[is] == nil {
						t.Errorf("%s: no type %s", fields[0], is)
					}
				}
			}
		}
	}
	for name := range paragraphs.Get() {
		if !used[name] {
			t.Errorf("nothing uses the type %s", name)
		}
	}
	for v := mcp.NoVersion; v <= mcp.V5; v++ {
		revision(v) // It panics at what is not in the table.
	}
}
