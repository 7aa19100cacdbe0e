package screen_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// An inquiring is a server that asks the person at the screen.
type inquiring struct {
	*server
	questions *source.Questions
}

func inquiringOf(t *testing.T) *inquiring {
	s := &inquiring{server: serverOf(talk(t), "node server.js")}
	s.questions = source.NewQuestions(func() {
		select {
		case s.wake <- struct{}{}:
		default: // it rings already
		}
	})
	return s
}

func (s *inquiring) Questions() *source.Questions { return s.questions }

// A posed is a question that was asked, and its answer.
type posed struct {
	answer   chan client.Answer
	withdraw context.CancelFunc
}

// pose asks a question; it has been asked for three seconds.
func (s *inquiring) pose(t *testing.T, method, params string) *posed {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := &posed{make(chan client.Answer, 1), cancel}
	before := len(s.questions.Open())
	go func() {
		p.answer <- s.questions.Ask(ctx, client.Question{Method: method, Params: json.RawMessage(params), Era: mcp.Legacy, ID: "9", For: "4",
			At: time.Date(2026, 11, 20, 10, 0, 1, 0, time.UTC)})
	}()
	for deadline := time.Now().Add(time.Minute); len(s.questions.Open()) == before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the question does not wait")
		}
	}
	return p
}

// gets waits for the answer.
func (p *posed) gets(t *testing.T, want string) {
	t.Helper()
	select {
	case a := <-p.answer:
		got := string(a.Result)
		if a.Error != nil {
			got = fmt.Sprintf("error %d", a.Error.Code)
		}
		if got != want {
			t.Errorf("the answer is %s, want %s", got, want)
		}
	case <-time.After(time.Minute):
		t.Error("there is no answer")
	}
}

const (
	teaForm = `{"mode":"form","message":"Which tea would you like?\nIt is free.","requestedSchema":{"type":"object","required":["name"],"properties":{` +
		`"name":{"type":"string","description":"who it is for"},"cups":{"type":"integer","minimum":1,"default":2}}}}`
	payURL  = `{"mode":"url","message":"Please pay \u001b[31mnow\u001b[0m.","url":"https://ann@xn--tea-bma.example:8443/pay?order=42#top","elicitationId":"e"}`
	askPoem = `{"systemPrompt":"You are a poet.","messages":[{"role":"user","content":{"type":"text","text":"A line about tea."}},{"role":"assistant","content":{"type":"image","data":"AAAA","mimeType":"image/png"}}],` +
		`"modelPreferences":{"hints":[{"name":"small"}],"speedPriority":0.9},"maxTokens":100,"stopSequences":["END"],"tools":[{"name":"brew","description":"makes tea","inputSchema":{"type":"object"}}]}`
)

// TestQuestions holds that each kind of question is answered on the screen.
func TestQuestions(t *testing.T) {
	for _, tt := range []struct {
		name           string
		method, params string
		steps          []string // steps are texts to wait for and keys in turn.
		want           string
	}{
		{"accept a form", "elicitation/create", teaForm, []string{"Which tea would you like?", "enter", "who it is for", "A d a", "Ada", "ctrl+s"},
			`{"action":"accept","content":{"name":"Ada","cups":2}}`},
		{"decline", "elicitation/create", teaForm, []string{"enter answers", "a", "who it is for", "esc", "d decline", "d"}, `{"action":"decline"}`},
		{"cancel", "elicitation/create", teaForm, []string{"enter answers", "a", "who it is for", "esc", "c cancel", "c"}, `{"action":"cancel"}`},
		{"what does not fit is sent by who insists", "elicitation/create", teaForm, []string{"enter answers", "enter", "* required: name", "ctrl+s", "again sends it anyway", "ctrl+s"},
			`{"action":"accept","content":{"cups":2}}`},
		{"the raw answer", "elicitation/create", teaForm, []string{"enter answers", "enter", "who it is for", "esc", "r raw", "r", `"action"`, "ctrl+home", "", "ctrl+s", "again sends", "ctrl+s"},
			`{"action":"accept","content":{"cups":2}}`},
		{"accept a URL", "elicitation/create", payURL, []string{"enter answers", "enter", "a accept", "a"}, `{"action":"accept"}`},
		{"decline a URL", "elicitation/create", payURL, []string{"enter answers", "enter", "d decline", "d"}, `{"action":"decline"}`},
		{"sample", "sampling/createMessage", askPoem, []string{"You are the model", "enter", "the model's answer", "L e a v e s ctrl+j f a l l", "fall", "ctrl+s"},
			`{"role":"assistant","content":{"type":"text","text":"Leaves\nfall"},"model":"wiretea","stopReason":"endTurn"}`},
		{"refuse to sample", "sampling/createMessage", askPoem, []string{"enter answers", "enter", "the model's answer", "esc", "d refuse", "d"}, "error -1"},
		{"no roots", "roots/list", `{}`, []string{"What are your roots?", "enter", "your roots", "esc", "d no roots", "d"}, `{"roots":[]}`},
		{"something else", "tea/brew", `{"leaves":3}`, []string{"enter answers", "enter", "r raw", "r", "the whole answer", "ctrl+s"}, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := inquiringOf(t)
			s := show(t, 100, 34, screen.Options{}, server)
			s.WaitText("traffic")
			p := server.pose(t, tt.method, tt.params)
			for i, step := range tt.steps {
				if i%2 == 0 && step != "" {
					s.WaitText(step)
				} else if step != "" {
					s.Keys(strings.Fields(step)...)
				}
			}
			p.gets(t, tt.want)
			s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "the server asks") })
			sane(t, s)
		})
	}
}

// TestQuestionStealsNothing holds that a question takes no key from what somebody
// is doing, and cannot be overlooked.
func TestQuestionStealsNothing(t *testing.T) {
	server := inquiringOf(t)
	s := show(t, 100, 34, screen.Options{}, server)
	s.WaitText("traffic")
	s.Keys(":")
	s.WaitText("tab completes")
	p := server.pose(t, "elicitation/create", teaForm)
	s.WaitText("⚠ the server asks: Which tea would you like? It is free.  for tools/call brew")
	s.Type("send ada\r")
	if got := <-server.sent; got != "ada" {
		t.Errorf("sent %q", got)
	}
	s.Keys("a")
	s.WaitText("who it is for")
	s.Keys("esc", "esc")
	s.WaitText("the question waits")
	s.Keys("?")
	s.WaitText("type to search")
	s.Type("the question that")
	s.Keys("enter")
	s.WaitText("who it is for")
	p.withdraw()
	s.WaitText("the server no longer asks: Which tea")
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "who it is for") })
	s.Keys("a")
	s.WaitText("nothing is asked")
}

// TestBoxThatCameByItself holds that keys which do not open a box go where they
// would have gone without it.
func TestBoxThatCameByItself(t *testing.T) {
	server := inquiringOf(t)
	s := show(t, 100, 34, screen.Options{}, server)
	s.WaitText("traffic")
	p := server.pose(t, "elicitation/create", teaForm)
	s.WaitText("enter answers")
	s.Type(":send x\r")
	if got := <-server.sent; got != "x" {
		t.Errorf("sent %q", got)
	}
	s.Keys("f")
	s.Type("m:ping")
	s.WaitText("m:ping")
	s.Keys("esc")
	s.WaitText("enter answers")
	s.Keys("esc")
	s.WaitText("a answers")
	p.withdraw()
	s.WaitText("no longer asks")
}

// TestManyQuestions holds that questions queue, and that each can be gone to.
func TestManyQuestions(t *testing.T) {
	server := inquiringOf(t)
	s := show(t, 100, 34, screen.Options{}, server)
	s.WaitText("traffic")
	first := server.pose(t, "elicitation/create", teaForm)
	s.WaitText("enter answers")
	second := server.pose(t, "elicitation/create", payURL)
	s.WaitText("2 questions") // They are in the order in which they came.
	third := server.pose(t, "sampling/createMessage", askPoem)
	s.WaitText("3 questions")
	s.WaitText("1 of 3")
	s.Keys("enter")
	s.WaitText("who it is for")
	s.Keys("esc")
	s.WaitText("n next")
	s.Keys("n")
	s.WaitText("2 of 3")
	s.Keys("a")
	second.gets(t, `{"action":"accept"}`)
	s.WaitText("1 of 2")
	s.Keys("esc", ":")
	s.Type("answer 2\r")
	s.WaitText("the model's answer")
	third.withdraw()
	s.WaitFor(func(screen string) bool { return !strings.Contains(screen, "the model's answer") })
	s.Keys("a")
	s.WaitText("who it is for")
	s.Keys("esc", "d")
	first.gets(t, `{"action":"decline"}`)
}

// TestQuestionsOnTheScreen holds what questions look like.
func TestQuestionsOnTheScreen(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		for _, tt := range []struct {
			name           string
			method, params string
			keys           []string
			shows          string
		}{
			{"form-rests", "elicitation/create", teaForm, nil, "enter answers"},
			{"form", "elicitation/create", teaForm, []string{"enter"}, "* required: name"},
			{"form-chosen", "elicitation/create", teaForm, []string{"enter", "esc"}, "d decline"},
			{"form-aside", "elicitation/create", teaForm, []string{"esc"}, "a answers"},
			{"url", "elicitation/create", payURL, []string{"enter"}, "o open"},
			{"sampling", "sampling/createMessage", askPoem, []string{"enter"}, "* required: text"},
			{"sampling-chosen", "sampling/createMessage", askPoem, []string{"enter", "esc"}, "d refuse"},
		} {
			name := fmt.Sprintf("asks-%s-%dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, plain := range []bool{false, true} {
					server := inquiringOf(t)
					opt := termtest.SessionOptions{}
					if plain {
						opt = termtest.SessionOptions{Profile: colorprofile.ASCII, Env: []string{"NO_COLOR=1"}}
					}
					s := termtest.Run(t, screen.New(screen.Options{Sources: []source.Source{server}, Dark: true, NoColour: plain}), size[0], size[1], opt)
					s.WaitText("traffic")
					server.pose(t, tt.method, tt.params)
					s.WaitText("enter answers")
					s.Keys(tt.keys...)
					s.WaitText(tt.shows)
					if tt.shows == "a answers" { // the notice goes by itself
						s.WaitText("the question waits")
					}
					if !plain {
						s.Golden(name)
					}
					sane(t, s)
				}
			})
		}
	}
}

// TestLogLevel holds the menu of log levels and its command.
func TestLogLevel(t *testing.T) {
	server := &logging{server: serverOf(talk(t), "node server.js"), set: make(chan string, 4)}
	s := show(t, 100, 34, screen.Options{}, server)
	s.WaitText("traffic")
	s.Keys("ctrl+g")
	s.WaitText("⚠ warning")
	s.Keys("down", "down", "down", "enter")
	if got := <-server.set; got != "warning" {
		t.Errorf("asked for %q", got)
	}
	s.WaitText("the server logs level warning and above")
	s.Type(":loglevel loud\r")
	s.WaitText(`unknown level "loud"`)
	s.Type(":loglevel error\r")
	if got := <-server.set; got != "error" {
		t.Errorf("asked for %q", got)
	}
	old := show(t, 100, 34, screen.Options{}, recording(t))
	old.WaitText("traffic")
	old.Type(":loglevel error\r")
	old.WaitText("this is a recording")
}

// A logging is a server that takes a log level.
type logging struct {
	*server
	set chan string
}

func (l *logging) LogLevel() string { return "" }
func (l *logging) SetLogLevel(_ context.Context, level string) error {
	l.set <- level
	return nil
}
