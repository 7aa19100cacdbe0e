package detail_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/ui/detail"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/style"
)

// report is a session with a result that has a text, an image, a link, and structured
// content that is not what the tool's schema says.
func report(t testing.TB) *panetest.Session {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 12, 6))
	for i := range 12 * 6 {
		img.SetRGBA(i%12, i/12, color.RGBA{uint8(i * 3), 80, uint8(255 - i*3), 255})
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal("# Tea\n\n- *green*, `70 °C`\n\n| leaf | min |\n| - | - |\n| sencha | 2 |\n\n\u202ehostile \x1b[2J\n")
	s := panetest.New(t)
	s.Client(1, initialize)
	s.Server(41, initialized)
	s.Client(42, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.Server(43, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"report","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"cups":{"type":"integer"}},"required":["cups","leaf"]}}]}}`)
	s.Client(50, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"report","arguments":{"of":"tea"},"_meta":{"progressToken":1}}}`)
	s.Server(60, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":4,"message":"heating the water"}}`)
	s.Server(70, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":%s},{"type":"image","mimeType":"image/png","data":%q},{"type":"resource_link","uri":"tea://a","name":"a"}],"structuredContent":{"cups":"two"}}}`, text, base64.StdEncoding.EncodeToString(file.Bytes())))
	return s
}

func openReport(t testing.TB, w, h int) (*detail.Pane, *pane.Context) {
	t.Helper()
	c := report(t).Context()
	p := detail.New()
	p.View(c, w, h, true)
	at(t, p, c, uint32(c.Snap.Len()-1))
	return p, c
}

// TestContentAfterASearch holds that the content is that of the row under the cursor where a
// search, which shows the bytes, ends or begins on another row.
func TestContentAfterASearch(t *testing.T) {
	p, c := openReport(t, 78, 40)
	c.Search = pane.Search{Text: "initialize"}
	at(t, p, c, 1)
	c.Search = pane.Search{}
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	if got := panetest.Text(t, p, c, 78, 40); !strings.Contains(got, "handshake") || strings.Contains(got, "leaf") {
		t.Errorf("the content after the search:\n%s", got)
	}
	at(t, p, c, 0)
	c.Search = pane.Search{Text: "protocolVersion"}
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	if got := panetest.Text(t, p, c, 78, 40); !strings.Contains(got, `"protocolVersion"`) {
		t.Errorf("the bytes during the search:\n%s", got)
	}
	panetest.Do(t, p, c, keys.PrevTab, keys.PrevTab) // A tab that was chosen stays until the next search, which shows its hits.
	at(t, p, c, 1)
	if got := panetest.Text(t, p, c, 78, 40); strings.Contains(got, `"serverInfo"`) {
		t.Errorf("the tab that was chosen:\n%s", got)
	}
	c.Search = pane.Search{Text: "serverInfo"}
	panetest.Tell(t, p, c, pane.RestyledMsg{})
	if got := panetest.Text(t, p, c, 78, 40); !strings.Contains(got, `"serverInfo"`) {
		t.Errorf("the bytes during another search:\n%s", got)
	}
}

// A countedLog counts the reads.
type countedLog struct {
	recorder.Log
	reads atomic.Int64
}

func (l *countedLog) ReadAt(p []byte, off int64) (int, error) {
	l.reads.Add(1)
	return l.Log.ReadAt(p, off)
}

// TestContentUnseen holds that a pane that is not in sight reads nothing and lays nothing out,
// and that the content is there when it comes into sight.
func TestContentUnseen(t *testing.T) {
	p, c := openReport(t, 78, 40)
	log := &countedLog{Log: c.Log}
	c.Log, c.Unseen = log, true
	at(t, p, c, 1)
	at(t, p, c, 3)
	if n := log.reads.Load(); n > 0 {
		t.Errorf("%d reads while the pane was not in sight", n)
	}
	c.Unseen = false
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if got := panetest.Text(t, p, c, 78, 40); !strings.Contains(got, "1 tool") {
		t.Errorf("the content afterwards:\n%s", got)
	}
}

// TestContentThemes holds the tab content at the sizes that the pane has on screens of
// 80×24, 120×40, 160×45 and 200×60, dark, light and without colours.
func TestContentThemes(t *testing.T) {
	for _, size := range [][2]int{{78, 9}, {51, 25}, {69, 30}, {86, 41}} {
		for name, th := range map[string]*style.Theme{"dark": style.New("", true, false), "light": style.New("", false, false), "no-colour": style.New("", true, true)} {
			p, c := openReport(t, size[0], size[1])
			c.Theme = th
			panetest.Tell(t, p, c, pane.RestyledMsg{})
			panetest.Golden(t, fmt.Sprintf("content-%dx%d-%s", size[0], size[1], name), strings.Join(p.View(c, size[0], size[1], true), "\n"))
			panetest.Sizes(t, p, c)
		}
	}
}

// TestContentSays holds what is in the content: each part, what the schema says beside the
// member, the progress, and nothing that a terminal would obey.
func TestContentSays(t *testing.T) {
	p, c := openReport(t, 80, 60)
	text := panetest.Text(t, p, c, 80, 60)
	for _, want := range []string{"arguments of report", "Tea\n", "• green, 70 °C", "sencha", "png 12×6", "resource link · a", "does not match the output schema", "must be integer", "leaf", "▸ _meta of the request: progressToken",
		"progress  1 notification", "25 %  ", "heating the water"} {
		if !strings.Contains(strings.ReplaceAll(text, "  \n", "\n"), want) && !strings.Contains(text, strings.TrimSpace(want)) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\u202e\x1b") {
		t.Errorf("hostile text gets through:\n%q", text)
	}
}

// TestContentActs holds what the keys do on the parts of the content.
func TestContentActs(t *testing.T) {
	p, c := openReport(t, 80, 60)
	var saved, opened, linked []tea.Msg
	for range 40 {
		saved = append(saved, panetest.Do(t, p, c, keys.Save)...)
		if p.Disabled(c, keys.Pair) == "" {
			opened = append(opened, panetest.Do(t, p, c, keys.Pair)...)
		}
		linked = append(linked, panetest.Do(t, p, c, keys.Enter)...)
		panetest.Do(t, p, c, keys.Down)
	}
	has := func(all []tea.Msg, is func(tea.Msg) bool) bool {
		for _, m := range all {
			if is(m) {
				return true
			}
		}
		return false
	}
	if !has(saved, func(m tea.Msg) bool { s, ok := m.(pane.SaveMsg); return ok && s.Name == "image.png" }) || !has(saved, func(m tea.Msg) bool { s, ok := m.(pane.SaveMsg); return ok && s.Name == "text.md" }) {
		t.Errorf("saved: %v", saved)
	}
	if !has(opened, func(m tea.Msg) bool {
		o, ok := m.(pane.OutsideMsg)
		return ok && o.Kind == "image/png" && o.Ending == ".png" && len(o.Data) > 0
	}) {
		t.Error("the image is not opened outside")
	}
	if !has(linked, func(m tea.Msg) bool {
		o, ok := m.(pane.ComposeMsg)
		return ok && o.Method == "resources/read" && o.Name == "tea://a"
	}) {
		t.Errorf("the link is not read: %v", linked)
	}
	panetest.Do(t, p, c, keys.Text)
	if text := panetest.Text(t, p, c, 80, 60); !strings.Contains(text, "- *green*") {
		t.Errorf("no source:\n%s", text)
	}
}

// TestContentFolds holds that parts of the content fold and unfold, by enter and by the keys
// of JSON.
func TestContentFolds(t *testing.T) {
	s := panetest.New(t)
	s.Client(50, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"brew","arguments":{"of":"{\"leaf\":{\"kind\":\"sencha\"}}"},"_meta":{"progressToken":"t7"}}}`)
	s.Server(60, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
	c, p := s.Context(), detail.New()
	p.View(c, 80, 30, true)
	at(t, p, c, 0)
	says := func(step, want string, there bool) {
		t.Helper()
		if text := panetest.Text(t, p, c, 80, 30); strings.Contains(text, want) != there {
			t.Errorf("%s: %q in\n%s", step, want, text)
		}
	}
	says("at first", "kind  sencha", true)
	says("at first", "▸ _meta of the request: progressToken", true)
	panetest.Do(t, p, c, keys.Down, keys.Enter) // The line "of".
	says("folded", "of  ▸ JSON text, 1 member", true)
	says("folded", "sencha", false)
	panetest.Do(t, p, c, keys.Unfold, keys.Unfold, keys.Fold)
	says("the part within is folded", "leaf  ▸ 1 member", true)
	panetest.Do(t, p, c, keys.Fold, keys.Fold) // To what it is in, and that.
	says("folded again", "of  ▸ JSON text, 1 member", true)
	panetest.Do(t, p, c, keys.UnfoldAll)
	says("all", "progressToken  t7", true)
	says("all", "kind  sencha", true)
	panetest.Do(t, p, c, keys.FoldAll)
	says("none", "t7", false)
	says("none", "leaf", false)
	panetest.Do(t, p, c, keys.Depth1)
	says("one level", "leaf  ▸ 1 member", true)
}

// TestContentLog holds that a log message is shown with the log around it, and that a line
// of that leads to its message.
func TestContentLog(t *testing.T) {
	s := panetest.New(t)
	for i := range 30 {
		s.Server(float64(100*i), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"kettle","data":"step %d\n\u001b[2Jmore"}}`, i))
		s.Client(float64(100*i+50), `{"jsonrpc":"2.0","method":"notifications/other"}`)
	}
	s.Server(4000, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"why":"no water"}}}`)
	s.Conn(2)
	s.Server(5000, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"of another connection"}}`)
	c, p := s.Context(), detail.New()
	p.View(c, 80, 50, true)
	at(t, p, c, 2*25)
	text := panetest.Text(t, p, c, 80, 50)
	for _, want := range []string{"the log around it  26 messages", "info   kettle  step 5 ", "›    2.500  info   kettle  step 25 ", `error          {"why":"no water"}`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "step 4 ") || strings.Contains(text, "another connection") || strings.Contains(text, "\x1b") {
		t.Errorf("what is not around it:\n%s", text)
	}
	panetest.Do(t, p, c, keys.Bottom)
	if got := panetest.Do(t, p, c, keys.Enter); len(got) != 1 || got[0] != (pane.GotoMsg{Row: 60}) {
		t.Errorf("enter on the last line: %v", got)
	}
	panetest.Sizes(t, p, c)
}

// TestContentPictures holds that a picture in sight is left to a terminal that draws it.
func TestContentPictures(t *testing.T) {
	p, c := openReport(t, 80, 60)
	c.Theme = style.New("", true, false)
	if lines := p.View(c, 80, 60, true); !strings.Contains(strings.Join(lines, ""), "▀") || len(p.Pictures()) != 0 {
		t.Error("without a terminal that draws there are cells")
	}
	if text := panetest.Text(t, p, c, 80, 60); strings.Contains(text, "m▀") {
		t.Errorf("the styles of cells are text:\n%s", text)
	}
	c.Graphics = true
	lines := p.View(c, 80, 60, true)
	if got := p.Pictures(); len(got) != 1 || got[0].Area.Dx() != 12 || got[0].Area.Dy() != 3 || strings.Contains(strings.Join(lines, ""), "▀") {
		t.Errorf("pictures %+v", got)
	}
	p.View(c, 80, p.Pictures()[0].Area.Max.Y-1, true) // Its last line is out of sight.
	if got := p.Pictures(); len(got) != 0 {
		t.Errorf("a part of a picture is left to the terminal: %+v", got)
	}
}
