package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
	"wiretea/ui/cli/term"
	"wiretea/ui/composer/arguments"
)

// An Asker puts the server's questions to the person at the terminal, one
// at a time.
type Asker struct {
	errw io.Writer
	wait *term.Waiting // wait is put aside while somebody is asked; nil = there is none.

	mu    sync.Mutex // mu is held while one question is open.
	in    io.Reader
	lines <-chan string // lines are what is typed; made with the first question.
}

// NewAsker returns an Asker on in and errw; nil unless both are terminals.
func NewAsker(in io.Reader, errw io.Writer) *Asker {
	if !term.IsTerminal(in) || !term.IsTerminal(errw) {
		return nil
	}
	return &Asker{in: in, errw: errw}
}

// Ask implements client.Asker.
func (a *Asker) Ask(ctx context.Context, q client.Question) client.Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wait != nil {
		a.wait.Pause()
		defer a.wait.Resume()
	}
	var answer client.Answer
	var err error
	switch q.Method {
	case mcp.ElicitationCreate:
		answer, err = a.elicit(ctx, q.Elicitation())
	case mcp.SamplingCreateMessage:
		answer, err = a.sample(ctx, q.Params)
	case mcp.RootsList:
		answer, err = a.roots(ctx)
	default:
		return client.Decliner.Ask(ctx, q)
	}
	if err != nil {
		return client.Dismiss() // nobody is there any more; a withdrawn question has no answer anyway
	}
	return answer
}

// line reads one line, with a prompt before it.
func (a *Asker) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(a.errw, prompt)
	if a.lines == nil {
		a.lines = client.ReadLines(context.Background(), a.in, nil) // They outlive the question.
	}
	select {
	case text, ok := <-a.lines:
		if !ok {
			return "", io.EOF
		}
		return text, nil
	case <-ctx.Done():
		fmt.Fprintln(a.errw)
		return "", context.Cause(ctx)
	}
}

// elicit fills in a form, or shows a URL.
func (a *Asker) elicit(ctx context.Context, ask client.Elicitation) (client.Answer, error) {
	fmt.Fprintf(a.errw, "The server asks: %s\n", term.Visible(ask.Message))
	if ask.Mode == "url" {
		fmt.Fprintf(a.errw, "  it asks you to visit %s\n", term.Visible(ask.URL))
		return a.consent(ctx, nil)
	}
	for {
		content, err := a.fill(ctx, ask.Schema)
		if err != nil {
			return client.Answer{}, err
		}
		if err := client.ValidateForm(ask.Schema, content); errors.Is(err, client.ErrForm) {
			fmt.Fprintf(a.errw, "  %s\n", term.Visible(err.Error()))
			if again, err := a.line(ctx, "  fill it in again? [Y/n] "); err != nil || !strings.HasPrefix(strings.ToLower(again), "n") {
				if err != nil {
					return client.Answer{}, err
				}
				continue
			}
		}
		return a.consent(ctx, content)
	}
}

// consent asks whether to accept.
func (a *Asker) consent(ctx context.Context, content json.RawMessage) (client.Answer, error) {
	prompt := "  accept, decline or cancel? [A/d/c] "
	if content != nil {
		prompt = fmt.Sprintf("  send %s? accept, decline or cancel [A/d/c] ", term.Visible(string(content)))
	}
	word, err := a.line(ctx, prompt)
	switch strings.ToLower(word + " ")[0] {
	case 'd', 'n':
		return client.Decline(), err
	case 'c':
		return client.Dismiss(), err
	}
	return client.Accept(content), err
}

// roots asks for the folders that the server is told, until it is given none.
func (a *Asker) roots(ctx context.Context) (client.Answer, error) {
	fmt.Fprintln(a.errw, "The server asks for your roots: folders, or file:// URIs.")
	var list []string
	for {
		root, err := a.line(ctx, "  one of them (empty ends): ")
		if err != nil {
			return client.Answer{}, err
		}
		if root == "" {
			return client.RootsAnswer(list)
		}
		if _, err := client.RootsAnswer([]string{root}); err != nil {
			fmt.Fprintf(a.errw, "  %s\n", term.Visible(err.Error()))
			continue
		}
		list = append(list, root)
	}
}

// fill asks for each field of a form.
func (a *Asker) fill(ctx context.Context, text json.RawMessage) (json.RawMessage, error) {
	s := arguments.Read(text)
	required := s.Required()
	var members []lex.Member
	for _, name := range s.Fields() {
		field, _ := s.Property(name)
		for {
			typed, err := a.line(ctx, fieldPrompt(name, field, required))
			if err != nil {
				return nil, err
			}
			if typed == "" {
				if given := field.Fallback(); given != nil {
					members = append(members, lex.Member{Name: name, Value: given})
				}
				break
			}
			value, err := arguments.FromText(name, typed, field)
			if err != nil {
				fmt.Fprintf(a.errw, "  %s\n", term.Visible(err.Error()))
				continue
			}
			members = append(members, lex.Member{Name: name, Value: value})
			break
		}
	}
	return lex.AppendObject(nil, members...), nil
}

// fieldPrompt is what precedes a field: "name (string, required) [Ada]: ".
func fieldPrompt(name string, field arguments.Schema, required []string) string {
	prompt := "  " + term.Visible(name)
	about := []string{}
	if words := field.Words(); words != "" {
		about = append(about, term.Visible(words))
	}
	if slices.Contains(required, name) {
		about = append(about, "required")
	}
	if len(about) > 0 {
		prompt += " (" + strings.Join(about, ", ") + ")"
	}
	if about, _ := field.At.Get("description").Text(); about != "" {
		prompt += ", " + term.Visible(about)
	}
	if given := field.Fallback(); given != nil {
		prompt += " [" + term.Visible(string(given)) + "]"
	}
	return prompt + ": "
}

// sample shows what a model is to answer, and takes the answer.
func (a *Asker) sample(ctx context.Context, params json.RawMessage) (client.Answer, error) {
	var p struct {
		System   string `json:"systemPrompt"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(params, &p) // what cannot be read is not shown
	fmt.Fprintln(a.errw, "The server wants a model to answer:")
	if p.System != "" {
		fmt.Fprintf(a.errw, "  system: %s\n", term.Visible(p.System))
	}
	for _, m := range p.Messages {
		for _, part := range client.Contents(m.Content) {
			text := contentWords(part)
			if part.Text != nil {
				text = *part.Text
			}
			fmt.Fprintf(a.errw, "  %s: %s\n", term.Visible(m.Role), term.Visible(text))
		}
	}
	text, err := a.line(ctx, "  your answer in its place (empty declines): ")
	if err != nil || text == "" {
		return client.Refused(), err
	}
	return client.Sampled(text, "", ""), nil
}

// sayingNo has it said, the first time, that a form was declined which was to be
// accepted: the server tells only what it made of that.
func (c *caller) sayingNo(ask client.Asker) client.Asker {
	var once sync.Once
	return client.AskerFunc(func(ctx context.Context, q client.Question) client.Answer {
		answer := ask.Ask(ctx, q)
		if bytes.Equal(answer.Result, client.Decline().Result) {
			once.Do(func() {
				c.wait.Say(c.errw, term.Visible("wiretea: elicitation declined: its form needs more than defaults: "+q.Elicitation().Message)+
					"\n  hint: --elicitation FILE gives answers, --elicitation ask asks you on a terminal")
			})
		}
		return answer
	})
}
