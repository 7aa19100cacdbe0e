package termtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScreen holds what a program's output comes to on a screen of 8 by 4; the
// cases are as xterm does them.
func TestScreen(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
		x, y     int
	}{
		{"text", "ab", []string{"ab"}, 2, 0},
		{"line feed keeps the column", "ab\nc", []string{"ab", "  c"}, 3, 1},
		{"carriage return", "ab\r\nc", []string{"ab", "c"}, 1, 1},
		{"wrap waits for the next character", "12345678", []string{"12345678"}, 7, 0},
		{"wrap", "123456789", []string{"12345678", "9"}, 1, 1},
		{"no wrap after a return", "12345678\rx", []string{"x2345678"}, 1, 0},
		{"no automatic wrap", "\x1b[?7l123456789", []string{"12345679"}, 7, 0},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", []string{"2", "3", "4", "5"}, 1, 3},
		{"backspace", "abc\b\bX", []string{"aXc"}, 2, 0},
		{"tab", "a\tb", []string{"a      b"}, 7, 0},
		{"tab stops set and cleared", "\x1b[3g\x1b[4G\x1bH\r\tx", []string{"   x"}, 4, 0},
		{"back by tab", "abc\x1b[Zx", []string{"xbc"}, 1, 0},
		{"CUP", "\x1b[2;3Hx", []string{"", "  x"}, 3, 1},
		{"HVP beyond", "\x1b[99;99fx", []string{"", "", "", "       x"}, 7, 3},
		{"CUU CUF CUD CUB", "\x1b[3;1H\x1b[A\x1b[2Ca\x1b[Bb\x1b[2Dc", []string{"", "  a", "  cb"}, 3, 2},
		{"CNL CPL", "abc\x1b[2Ex\x1b[Fy", []string{"abc", "y", "x"}, 1, 1},
		{"CHA HPA VPA", "\x1b[3Ga\x1b[6`b\x1b[3dc", []string{"  a  b", "", "      c"}, 7, 2},
		{"ED below", "aaaa\r\nbbbb\r\ncccc\x1b[2;3H\x1b[J", []string{"aaaa", "bb"}, 2, 1},
		{"ED above", "aaaa\r\nbbbb\r\ncccc\x1b[2;3H\x1b[1J", []string{"", "   b", "cccc"}, 2, 1},
		{"ED all", "aaaa\r\nbbbb\x1b[2J", nil, 4, 1},
		{"EL", "abcdef\x1b[3G\x1b[K", []string{"ab"}, 2, 0},
		{"EL left", "abcdef\x1b[3G\x1b[1K", []string{"   def"}, 2, 0},
		{"EL line", "abcdef\x1b[2K", nil, 6, 0},
		{"ECH", "abcdef\x1b[2G\x1b[3X", []string{"a   ef"}, 1, 0},
		{"ICH", "abcdefgh\x1b[2G\x1b[2@", []string{"a  bcdef"}, 1, 0},
		{"DCH", "abcdefgh\x1b[2G\x1b[2P", []string{"adefgh"}, 1, 0},
		{"IRM", "abc\x1b[2G\x1b[4hX\x1b[4l", []string{"aXbc"}, 2, 0},
		{"IL", "1\r\n2\r\n3\x1b[2;1H\x1b[L", []string{"1", "", "2", "3"}, 0, 1},
		{"DL", "1\r\n2\r\n3\x1b[2;1H\x1b[M", []string{"1", "3"}, 0, 1},
		{"SU", "1\r\n2\r\n3\x1b[S", []string{"2", "3"}, 1, 2},
		{"SD", "1\r\n2\r\n3\x1b[2T", []string{"", "", "1", "2"}, 1, 2},
		{"region scrolls", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n", []string{"1", "3", "", "4"}, 0, 2},
		{"region scrolls back", "1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[2;1H\x1bM", []string{"1", "", "2", "4"}, 0, 1},
		{"region bounds up and down", "\x1b[2;3r\x1b[2;1H\x1b[9Aa\x1b[9Bb", []string{"", "a", " b"}, 2, 2},
		{"origin", "\x1b[2;3r\x1b[?6h\x1b[1;1Ha\x1b[9;1Hb", []string{"", "a", "b"}, 1, 2},
		{"REP", "ab\x1b[3b", []string{"abbbb"}, 5, 0},
		{"REP of nothing", "\x1b[3b", nil, 0, 0},
		{"NEL IND", "a\x1bEb\x1bDc", []string{"a", "b", " c"}, 2, 2},
		{"DECSC DECRC", "ab\x1b7\r\n\ncd\x1b8X", []string{"abX", "", "cd"}, 3, 0},
		{"RIS", "abc\x1bcx", []string{"x"}, 1, 0},
		{"alternate screen", "main\x1b[?1049h\x1b[Hother\x1b[?1049l!", []string{"main!"}, 5, 0},
		{"alternate screen is blank again", "\x1b[?1049hx\x1b[?1049l\x1b[?1049h", nil, 0, 0},
		{"wide", "a世b", []string{"a世b"}, 4, 0},
		{"wide wraps whole", "1234567世", []string{"1234567", "世"}, 2, 1},
		{"wide overwritten left", "世界\x1b[1Gx", []string{"x 界"}, 1, 0},
		{"wide overwritten right", "世界\x1b[2Gx", []string{" x界"}, 2, 0},
		{"wide erased by half", "世界\x1b[2G\x1b[X", []string{"  界"}, 1, 0},
		{"wide deleted by half", "世界x\x1b[2G\x1b[P", []string{" 界x"}, 1, 0},
		{"wide pushed out by half", "123456世\x1b[1G\x1b[@", []string{" 123456"}, 0, 0},
		{"combining", "e\u0301x", []string{"e\u0301x"}, 2, 0},
		{"combining on the last column", "1234567e\u0301", []string{"1234567e\u0301"}, 7, 0},
		{"combining on nothing", "\u0301x", []string{"x"}, 1, 0},
		{"unfinished UTF-8", "a\xe4\xb8b", []string{"a\ufffd\ufffdb"}, 4, 0},
		{"bad UTF-8 does not swallow a sequence", "\xc3\x1b[2Gx", []string{"\ufffdx"}, 2, 0},
		{"a sequence broken off", "a\x1b[12\xc3\xa9b", []string{"aéb"}, 3, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{len(tt.in), 1} {
				term := New(8, 4, Options{})
				for part := range slices.Chunk([]byte(tt.in), size) {
					term.Write(part)
				}
				want := slices.Concat(tt.want, make([]string, 4-len(tt.want)))
				if diff := cmp.Diff(want, term.Screen()); diff != "" {
					t.Errorf("in writes of %d bytes (-want +got):\n%s", size, diff)
				}
				if x, y, _ := term.Cursor(); x != tt.x || y != tt.y {
					t.Errorf("the cursor is at %d,%d, want %d,%d", x, y, tt.x, tt.y)
				}
				if u := term.Unknown(); len(u) > 0 && tt.name != "a sequence broken off" {
					t.Errorf("not understood: %q", u)
				}
			}
		})
	}
}

// TestStyle holds what SGR parameters come to.
func TestStyle(t *testing.T) {
	for _, tt := range []struct {
		sgr  string
		want Style
	}{
		{"", Style{}},
		{"1;3", Style{Attrs: Bold | Italic}},
		{"1;2;22", Style{}},
		{"2;7;9;5;8", Style{Attrs: Faint | Reverse | Strike | Blink | Conceal}},
		{"3;5;7;8;9;4;23;25;27;28;29;24", Style{}},
		{"31;42", Style{Fg: Palette(1), Bg: Palette(2)}},
		{"91;102", Style{Fg: Palette(9), Bg: Palette(10)}},
		{"38;5;208;1", Style{Fg: Palette(208), Attrs: Bold}},
		{"38:5:208;1", Style{Fg: Palette(208), Attrs: Bold}},
		{"48;2;1;2;3;3", Style{Bg: RGB(1, 2, 3), Attrs: Italic}},
		{"48:2::1:2:3;3", Style{Bg: RGB(1, 2, 3), Attrs: Italic}},
		{"48:2:1:2:3;3", Style{Bg: RGB(1, 2, 3), Attrs: Italic}},
		{"58;5;4;4:3", Style{UnderlineColor: Palette(4), Underline: 3}},
		{"4;4:0", Style{}},
		{"21", Style{Underline: 2}},
		{"31;;1", Style{Attrs: Bold}},
		{"31;42;39;49", Style{}},
		{"1;31;0", Style{}},
	} {
		term := New(4, 1, Options{})
		term.Write([]byte("\x1b[" + tt.sgr + "mx"))
		if _, got := term.Cell(0, 0); got != tt.want {
			t.Errorf("SGR %s: %v, want %v", tt.sgr, got, tt.want)
		}
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("SGR %s: not understood: %q", tt.sgr, u)
		}
	}
}

// TestBackgroundErase holds that erasing paints the background in force.
func TestBackgroundErase(t *testing.T) {
	term := New(4, 3, Options{})
	term.Write([]byte("abcd\x1b[1G\x1b[44m\x1b[K\x1b[3;1H\n"))
	for _, at := range [][2]int{{0, 2}, {3, 2}} {
		if text, style := term.Cell(at[0], at[1]); text != " " || style != (Style{Bg: Palette(4)}) {
			t.Errorf("cell %v is %q %v", at, text, style)
		}
	}
}

// TestState holds what a program tells the terminal about itself.
func TestState(t *testing.T) {
	term := New(10, 2, Options{})
	term.Write([]byte("\x1b]2;a “title”\x1b\\\x1b]52;c;aGVsbG8=\x07\x1b[?25l\x1b[?2004h\x1b[?1002;1006h\x1b[?1049h\a" +
		"\x1b]8;;http://x/\x1b\\L\x1b]8;;\x1b\\M\x1b[>4;2m\x1b[>1u\x1b[=1;1u\x1b[<1u\x1b[2 q\x1b[?5W\x1b]9;4;1;50\x07\x1b(B"))
	if term.Title() != "a “title”" || term.Clipboard() != "hello" || term.Bells() != 1 || !term.AltScreen() {
		t.Errorf("title %q, clipboard %q, %d bells, alternate %t", term.Title(), term.Clipboard(), term.Bells(), term.AltScreen())
	}
	if diff := cmp.Diff([]int{7, 1002, 1006, 1049, 2004}, term.Modes()); diff != "" {
		t.Error(diff)
	}
	if _, _, shown := term.Cursor(); shown {
		t.Error("the cursor is shown")
	}
	if _, style := term.Cell(0, 0); style.Link != "http://x/" {
		t.Errorf("link %q", style.Link)
	}
	if _, style := term.Cell(1, 0); style.Link != "" {
		t.Errorf("link %q", style.Link)
	}
	if u := term.Unknown(); len(u) > 0 {
		t.Errorf("not understood: %q", u)
	}
}

// TestUnknown holds that nothing is ignored without a word.
func TestUnknown(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[38m": "CSI 38m", "\x1b[5:1;31m": "CSI 5:1;31m", "\x1b[99m": "CSI 99m", "\x1b[3y": "CSI 3y", "\x1b[?3;x": "CSI ?3;x",
		"\x1b]777;notify\x07": `OSC "777;notify"`, "\x1b#8": "ESC # 8", "\x1b(0": "ESC ( 0", "\x1bn": "ESC n", "\x05": "C0 0x05", "\u009b2J": "C1 U+009B",
		"\x1bPabc\x1b\\": `DCS a "bc"`, "\x1b^x\x1b\\": "PM", "\x1bXx\x1b\\": "SOS", "\x1b]52;c;§\x07": "OSC 52 illegal base64 data at input byte 0",
	} {
		term := New(10, 2, Options{})
		term.Write([]byte(in))
		if got := term.Unknown(); len(got) != 1 || got[0] != want {
			t.Errorf("%q: not understood is %q, want %q", in, got, want)
		}
	}
}

// TestReplies holds what is answered to queries.
func TestReplies(t *testing.T) {
	for _, tt := range []struct {
		opt      Options
		in, want string
	}{
		{Options{}, "\x1b[c", "\x1b[?62;22;52c"},
		{Options{}, "\x1b[5n", "\x1b[0n"},
		{Options{}, "\x1b[2;3H\x1b[6n", "\x1b[2;3R"},
		{Options{}, "\x1b[18t", "\x1b[8;4;8t"},
		{Options{}, "\x1b[?2026$p\x1b[?2027$p", "\x1b[?2026;0$y\x1b[?2027;0$y"},
		{Options{Sync: true, Graphemes: true}, "\x1b[?2026$p\x1b[?2027h\x1b[?2027$p", "\x1b[?2026;2$y\x1b[?2027;1$y"},
		{Options{}, "\x1b[?25$p\x1b[?1004$p", "\x1b[?25;1$y\x1b[?1004;2$y"},
		{Options{}, "\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\"},
		{Options{Light: true}, "\x1b]11;?\x07\x1b]10;?\x1b\\", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b]10;rgb:0000/0000/0000\x1b\\"},
		{Options{Light: true}, "\x1b[?996n", "\x1b[?997;2n"},
		{Options{}, "\x1b]52;c;aGk=\x07\x1b]52;c;?\x07", "\x1b]52;c;aGk=\x07"},
		{Options{}, "\x1b[?u\x1b[?4m", ""},
		{Options{}, "\x1bP+q524742\x1b\\", "\x1bP0+r524742\x1b\\"},
	} {
		term := New(8, 4, tt.opt)
		term.Write([]byte(tt.in))
		if got := string(term.Replies()); got != tt.want {
			t.Errorf("%q: answered %q, want %q", tt.in, got, tt.want)
		}
		if got := term.Replies(); got != nil {
			t.Errorf("%q: answered twice: %q", tt.in, got)
		}
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("%q: not understood: %q", tt.in, u)
		}
	}
}

// TestGraphemes holds that clusters are one character where the program asked
// for that, and several where not.
func TestGraphemes(t *testing.T) {
	for _, tt := range []struct {
		text        string
		plain, full int // plain and full are the columns without and with mode 2027.
	}{
		{"👩‍👩‍👧", 6, 2}, {"👍🏽", 4, 2}, {"❤️", 1, 2}, {"e\u0301", 1, 1}, {"🇩🇪", 2, 2}, {"한", 2, 2}, {"स्ते", 2, 1},
	} {
		term := New(20, 1, Options{Graphemes: true})
		term.Write([]byte(tt.text + "|"))
		if x, _, _ := term.Cursor(); x != tt.plain+1 {
			t.Errorf("%s takes %d columns, want %d", tt.text, x-1, tt.plain)
		}
		term.Write([]byte("\r\x1b[K\x1b[?2027h" + tt.text + "|"))
		if x, _, _ := term.Cursor(); x != tt.full+1 {
			t.Errorf("%s takes %d columns as a cluster, want %d", tt.text, x-1, tt.full)
		}
		if got := term.Screen()[0]; got != tt.text+"|" {
			t.Errorf("%s is shown as %s", tt.text, got)
		}
	}
}

// TestResize holds that a smaller screen keeps the cursor's row, and that half a
// wide character is none.
func TestResize(t *testing.T) {
	term := New(8, 4, Options{})
	term.Write([]byte("1\r\n2\r\n3\r\nabc世"))
	term.Resize(4, 2)
	if diff := cmp.Diff([]string{"3", "abc"}, term.Screen()); diff != "" {
		t.Error(diff)
	}
	term.Resize(10, 3)
	term.Write([]byte("\x1b[3;9Hx"))
	if diff := cmp.Diff([]string{"3", "abc", "        x"}, term.Screen()); diff != "" {
		t.Error(diff)
	}
	if w, h := term.Size(); w != 10 || h != 3 {
		t.Errorf("the size is %d by %d", w, h)
	}
}

// TestHold holds that a bracketed update is one change of the display.
func TestHold(t *testing.T) {
	term := New(8, 4, Options{Sync: true})
	for _, part := range []string{"\x1b[?2026ha", "b", "c\x1b[?2026l"} {
		term.Write([]byte(part))
		if strings.HasSuffix(part, "l") == term.Holding() {
			t.Errorf("holding is %t after %q", term.Holding(), part)
		}
	}
	if term.Frames() != 1 {
		t.Errorf("%d frames, want 1", term.Frames())
	}
}

// FuzzWrite holds that nothing makes a terminal panic, that how writes are cut
// makes no difference, and that every row keeps its form.
func FuzzWrite(f *testing.F) {
	for _, seed := range []string{
		"a世e\u0301\x1b[2;3Hx\x1b[1;31;48:2::1:2:3m\x1b[K\x1b[2@\x1b[3P\x1b[L\x1b[M\x1b[9b", "\x1b[2;3r\x1b[?6h\x1b[9T\x1b[9S\x1bM\x1bD\t\x1b[Z",
		"\x1b]52;c;aGk=\x07\x1b]11;?\x1b\\\x1bP+q41\x1b\\\x1b[?1049h\x1b7\x1b[?1049l\x1b8", "\x1b[?2027h👩‍👩‍👧👍🏽❤️\x1b[4h世\x1b[99999999999999999999C", "\xff\xc3\x1b[;;;:::m\x9b",
	} {
		f.Add([]byte(seed), uint8(8), uint8(3), uint8(5), uint8(9))
	}
	f.Fuzz(func(t *testing.T, in []byte, w, h, w2, h2 uint8) {
		opt := Options{Graphemes: true, Sync: true}
		whole, bytewise := New(int(w), int(h), opt), New(int(w), int(h), opt)
		half := len(in) / 2
		whole.Write(in[:half])
		whole.Resize(int(w2), int(h2))
		whole.Write(in[half:])
		for i := range in {
			if i == half {
				bytewise.Resize(int(w2), int(h2))
			}
			bytewise.Write(in[i : i+1])
		}
		if len(in) > 0 && whole.String() != bytewise.String() {
			t.Errorf("cut writes differ:\n%s\n%s", whole, bytewise)
		}
		for y, row := range whole.on.rows {
			if len(row) != whole.on.w || row[0].rest {
				t.Fatalf("row %d has lost its form: %+v", y, row)
			}
			for x, c := range row {
				if c.rest && c.text != "" {
					t.Fatalf("cell %d of row %d is two things: %+v", x, y, c)
				}
			}
		}
		if x, y, _ := whole.Cursor(); x < 0 || y < 0 || x >= whole.on.w || y >= whole.on.h {
			t.Fatalf("the cursor is at %d,%d", x, y)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	var frame strings.Builder
	for y := range 60 {
		frame.WriteString("\x1b[")
		frame.WriteString(string(rune('1' + y%9)))
		frame.WriteString(";1H")
		for range 20 {
			frame.WriteString("\x1b[38;2;1;2;3m0123456789\x1b[m")
		}
	}
	in := []byte(frame.String())
	term := New(200, 60, Options{})
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		term.Write(in)
	}
}
