package path

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// TestHold holds what becomes of a held request, and that all else flows on.
func TestHold(t *testing.T) {
	toolError := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"TEXT"}],"isError":true}}`
	for _, c := range []struct {
		name     string
		choice   session.Choice
		toServer []string
		toClient []string
	}{
		{"release", session.Choice{Verb: session.Release}, []string{echo}, nil},
		{"edit", session.Choice{Verb: session.Release, Text: []byte(`{"any": bytes` + "\xff" + `}`)}, []string{`{"any": bytes` + "\xff" + `}`}, nil},
		{"drop", session.Choice{Verb: session.Drop}, nil, nil},
		{"deny", session.Choice{Verb: session.Deny, Reason: "no"}, nil, []string{strings.Replace(toolError, "TEXT", "denied by a person who watches the session: no", 1)}},
		{"error", session.Choice{Verb: session.AnswerError, Code: -32603, Reason: "out of \"tea\""}, nil,
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"out of \"tea\""}}`}},
		{"tool error", session.Choice{Verb: session.AnswerToolError, Reason: "out of tea"}, nil, []string{strings.Replace(toolError, "TEXT", "out of tea", 1)}},
		{"respond", session.Choice{Verb: session.Respond, Text: []byte("{\n \"content\": []\n}")}, nil, []string{answers(1, `"content":[]`)}},
		{"a whole response", session.Choice{Verb: session.Respond, Text: []byte(`{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}`)}, nil,
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`}},
		{"template", session.Choice{Verb: session.Respond, Text: []byte(`{"said":"<{{params.arguments.message}}> {{params.arguments.n}}","n":{{params.arguments.n.1.x}},"o":{"a":{"b":{}}}}`)}, nil,
			[]string{answers(1, `"said":"<a \"b\"> [1,{\"x\":2}]","n":2,"o":{"a":{"b":{}}}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			perform(t, "", func(s *stage) {
				s.hold("d:c2s")
				s.says(s.client, echo, pinging, progress9)
				s.took(s.toServer, pinging, progress9)
				if state := s.place.State(); len(state.Held) != 1 || state.Held[0].Method != "tools/call" || state.Held[0].Target != "echo" || state.Held[0].MessageID != "1" || state.Held[0].Size != len(echo) ||
					state.Held[0].Deadline.Sub(state.Held[0].Since) != 48*time.Second || state.Held[0].Timeout.Sub(state.Held[0].Since) != time.Minute {
					t.Fatalf("held: %+v", state.Held)
				}
				if text, err := s.place.Text(t.Context(), 1); err != nil || string(text) != echo {
					t.Errorf("its text: %q, %v", text, err)
				}
				s.choose(c.choice)
				s.took(s.toServer, c.toServer...)
				s.took(s.toClient, c.toClient...)
				if err := s.place.Decide(t.Context(), []uint64{1}, c.choice); !errors.Is(err, session.ErrNotHeld) {
					t.Errorf("a second time: %v", err)
				}
				time.Sleep(time.Hour)
				s.took(s.toServer)
				s.took(s.toClient)
			})
		})
	}
}

// TestHoldOrder holds that only what belongs to a held message waits behind it.
func TestHoldOrder(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("d:s2c is:response m:tools/call | m:progress b:first")
		s.says(s.client, echo, list, asks(4, "tools/call", `"name":"other"`))
		answer, first := answers(1, `"a":1`), strings.Replace(progress, `"progress":1`, `"progress":1,"message":"first"`, 1)
		s.says(s.server, first, answer, progress, progress9, answers(3, ""), asks(1, "ping", ""), answers(4, ""))
		s.took(s.toClient, progress9, answers(3, ""), asks(1, "ping", ""))
		if ids := s.held(); len(ids) != 3 {
			t.Errorf("held: %v", s.place.State().Held)
		}
		s.choose(session.Choice{Verb: session.Release}, 2) // The answer waits for the progress before it.
		s.took(s.toClient)
		s.choose(session.Choice{Verb: session.Release}, 1)
		s.took(s.toClient, first, answer, progress)
		s.choose(session.Choice{Verb: session.Drop})
		s.took(s.toClient)
	})
}

// TestHoldCancelled holds that a request which its client cancels while it is held does not
// go on, and neither does the cancellation.
func TestHoldCancelled(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("m:tools/call")
		s.says(s.client, echo, strings.Replace(cancel, ":1}", ":8}", 1), cancel)
		s.took(s.toServer, strings.Replace(cancel, ":1}", ":8}", 1))
		if len(s.held()) != 0 {
			t.Error("it is still held")
		}
	})
}

// TestHoldExempt holds what a filter must name to hold it.
func TestHoldExempt(t *testing.T) {
	initialize := asks(1, "initialize", "")
	perform(t, "", func(s *stage) {
		s.hold("d:c2s")
		s.says(s.client, initialize, pinging, cancel, progress)
		s.took(s.toServer, initialize, pinging, cancel, progress)
		s.hold("m:ping | m:cancelled")
		s.says(s.client, pinging, cancel, progress)
		s.took(s.toServer, progress)
		s.hold("-m:tools") // It does not name ping.
		s.says(s.client, asks(9, "ping", ""))
		s.took(s.toServer, asks(9, "ping", ""))
	})
}

// TestHoldTimeout holds when a message goes on without a person.
func TestHoldTimeout(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("m:tools/call")
		s.says(s.client, echo)
		time.Sleep(48*time.Second - 1)
		s.took(s.toServer)
		time.Sleep(1 * time.Nanosecond)
		s.took(s.toServer, echo)
		time.Sleep(7 * time.Second) // 5 s are left for the response.
		s.says(s.server, answers(1, ""))
		time.Sleep(4*time.Second - 1)
		s.took(s.toClient)
		time.Sleep(1 * time.Nanosecond)
		s.took(s.toClient, answers(1, ""))
		_ = s.place.Intercept(t.Context(), session.Interception{Filter: "m:tools/call", Percent: 101})
		s.says(s.client, echo)
		time.Sleep(time.Hour)
		s.took(s.toServer)
		s.choose(session.Choice{Verb: session.Release})
		s.took(s.toServer, echo)
	})
}

// TestHoldLeft holds that what a place holds goes on when it is closed, or holds nothing any
// more, and what a policy holds does not.
func TestHoldLeft(t *testing.T) {
	perform(t, "[[rule]]\nfilter='m:tools/list'\naction='ask'\n", func(s *stage) {
		other := s.open("other")
		_ = other.Intercept(t.Context(), session.Interception{Filter: "m:tools/call"})
		s.says(s.client, echo, list)
		s.took(s.toServer)
		_ = other.Close()
		s.took(s.toServer, echo)
		if err := other.Decide(t.Context(), nil, session.Choice{Verb: session.Release}); !errors.Is(err, session.ErrGone) {
			t.Errorf("a closed place decides: %v", err)
		}
		s.hold("t:echo")
		s.says(s.client, echo)
		s.hold("")
		s.took(s.toServer, echo)
		if held := s.place.State().Held; len(held) != 1 || !held[0].Ask || held[0].Rule != "rule-1" {
			t.Errorf("%+v", held)
		}
		s.choose(session.Choice{Verb: session.Deny, Reason: "not today"})
		s.took(s.toClient, `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"denied by policy, rule rule-1: not today","data":{"rule":"rule-1"}}}`)
	})
}

// TestHoldFollow holds that the answer to a released request is held where that is asked for.
func TestHoldFollow(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("d:c2s m:tools/call")
		s.says(s.client, echo)
		s.choose(session.Choice{Verb: session.Release, Follow: true})
		s.says(s.server, answers(3, ""), answers(1, ""))
		s.took(s.toClient, answers(3, ""))
		s.choose(session.Choice{Verb: session.Respond, Text: []byte(`{"x":1}`)})
		s.took(s.toClient, answers(1, `"x":1`))
	})
}

// TestAsk holds what becomes of what a policy asks for.
func TestAsk(t *testing.T) {
	rules := `on_exit = 'EXIT'
[[rule]]
filter = 'm:tools/call t:echo'
action = 'ask'
reason = 'it shouts'
timeout = '10s'
[[rule]]
filter = 'm:tools/call'
action = 'hold'
timeout = '20s'
[[rule]]
filter = 'm:resources/read'
action = 'ask'
on_timeout = 'allow'
[[rule]]
filter = 'm:tools/list is:request'
action = 'log'
`
	rules = strings.Replace(rules, "on_exit = 'EXIT'\n", "", 1)
	other := asks(5, "tools/call", `"name":"other"`)
	read := asks(6, "resources/read", `"uri":"file:///x"`)
	denied := func(why string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"denied by policy, rule rule-1: ` + why + `"}],"isError":true}}`
	}
	t.Run("timeouts", func(t *testing.T) {
		perform(t, rules, func(s *stage) {
			s.says(s.client, echo, other, read, pinging, list)
			s.took(s.toServer, pinging, list)
			time.Sleep(10 * time.Second)
			s.took(s.toServer)
			s.took(s.toClient, denied("it shouts; nobody has answered in time"))
			time.Sleep(10 * time.Second)
			s.took(s.toServer, other)
			time.Sleep(28 * time.Second) // 80 % of the client's minute.
			s.took(s.toServer, read)
		})
	})
	t.Run("allow", func(t *testing.T) {
		perform(t, rules, func(s *stage) {
			s.hold("m:tools/call") // Who is asked is not asked twice.
			s.says(s.client, echo)
			s.choose(session.Choice{Verb: session.Release, Reason: "fine"}, 1)
			s.took(s.toServer, echo)
			if last := s.place.State().Last; last != "tools/call echo, id 1, allowed by screen after 0 ms" {
				t.Errorf("%q", last)
			}
		})
	})
	for exit, want := range map[string]struct{ toServer, toClient []string }{
		"":                    {[]string{other}, []string{denied("it shouts; the session ends")}},
		"on_exit = 'allow'\n": {[]string{echo, other}, nil},
		"on_exit = 'deny'\n": {nil, []string{denied("it shouts; the session ends"),
			`{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"denied by policy, rule rule-2: the session ends"}],"isError":true}}`}},
	} {
		t.Run("exit "+exit, func(t *testing.T) {
			perform(t, exit+rules, func(s *stage) {
				s.says(s.client, echo, other)
				s.client.Close()
				<-s.c2s.Done()
				s.took(s.toServer, want.toServer...)
				s.took(s.toClient, want.toClient...)
			})
		})
	}
}

// TestAskEdited holds that a policy decides on what a person has made of a message.
func TestAskEdited(t *testing.T) {
	rules := "on_error='closed'\n[[rule]]\nfilter='t:echo'\naction='ask'\n[[rule]]\nfilter='t:shell'\naction='deny'\n"
	perform(t, rules, func(s *stage) {
		for _, edited := range []string{strings.Replace(echo, `"echo"`, `"shell"`, 1), "junk"} {
			s.says(s.client, echo)
			s.choose(session.Choice{Verb: session.Release, Text: []byte(edited)})
			s.took(s.toServer)
		}
	})
}

// TestHoldTooMuch holds that no more is held than fits, whoever holds it.
func TestHoldTooMuch(t *testing.T) {
	for _, c := range []struct {
		rules, filter string
		toServer      []string
	}{
		{"", "t:big", []string{list}},
		{"on_error='closed'\n[[rule]]\nfilter='t:big'\naction='hold'\n", "", []string{list}},
	} {
		perform(t, c.rules, func(s *stage) {
			s.hold(c.filter)
			big := func(id int) string {
				return asks(id, "tools/call", `"name":"big","arguments":"`+strings.Repeat("x", 12<<20)+`"`)
			}
			s.says(s.client, big(1), big(2))
			s.took(s.toServer)
			s.says(s.client, big(3), list)
			if c.rules == "" {
				s.took(s.toServer, big(3), list)
			} else {
				s.took(s.toServer, list)
				s.took(s.toClient, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"denied by policy, rule on_error: too much is held"}],"isError":true}}`)
			}
			s.choose(session.Choice{Verb: session.Drop})
		})
	}
	perform(t, "", func(s *stage) {
		s.hold("t:small")
		small := func(id int) string { return asks(id, "tools/call", `"name":"small"`) }
		var all strings.Builder
		for id := range MaxHeld {
			all.WriteString(small(id) + "\n")
		}
		_, _ = io.WriteString(s.client, all.String())
		s.says(s.client, small(MaxHeld))
		s.took(s.toServer, small(MaxHeld))
		s.choose(session.Choice{Verb: session.Release})
		s.took(s.toServer, strings.TrimSuffix(all.String(), "\n"))
	})
}

// TestHoldOneID holds that messages with one id wait in a chain: each has a link to the one before
// it, and that all go on when there is no room for the last one.
func TestHoldOneID(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("t:small")
		small := asks(1, "tools/call", `"name":"small"`) + "\n"
		all := strings.Repeat(small, MaxHeld)
		_, _ = io.WriteString(s.client, all)
		synctest.Wait()
		links := 0
		for _, e := range s.i.entries {
			links += len(e.before)
		}
		if len(s.i.entries) != MaxHeld || links >= MaxHeld {
			t.Errorf("%d are held, with %d links", len(s.i.entries), links)
		}
		_, _ = io.WriteString(s.client, small)
		s.took(s.toServer, strings.TrimSuffix(all+small, "\n"))
	})
}

// A panicker is a Decider that holds everything, and has a bug.
type panicker struct {
	closed bool
	at     string
}

func (p panicker) Decide(m *Message) session.Ruling {
	if m.Again == (p.at == "release") {
		panic("a bug")
	}
	return session.Ruling{Verb: session.Hold, By: "panicker"}
}

func (p panicker) OnError(string) session.Ruling {
	d := session.Ruling{By: "policy: on_error", Rule: "on_error"}
	if p.closed {
		d.Verb = session.Refuse
	}
	return d
}

// TestHoldPanic holds that after a panic on_error decides, when a message comes and when it
// is released.
func TestHoldPanic(t *testing.T) {
	for _, at := range []string{"arrival", "release"} {
		for _, closed := range []bool{false, true} {
			perform(t, "", func(s *stage) {
				s.i.cfg.Policy = panicker{closed, at}
				s.i.use()
				s.i.adjust()
				s.says(s.client, list)
				if at == "release" {
					s.choose(session.Choice{Verb: session.Release})
				}
				if closed {
					s.took(s.toServer)
					s.took(s.toClient, `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"denied by policy, rule on_error","data":{"rule":"on_error"}}}`)
				} else {
					s.took(s.toServer, list)
				}
			})
		}
	}
}

// TestHoldSwitch holds that nothing decides while nothing is on, and that no byte is lost
// when that changes in the middle of lines.
func TestHoldSwitch(t *testing.T) {
	perform(t, "", func(s *stage) {
		half, rest := echo[:20], echo[20:]
		_, _ = io.WriteString(s.client, half)
		synctest.Wait()
		s.hold("m:tools/call")
		s.says(s.client, rest, list)
		s.took(s.toServer, echo, list) // It had begun to cross.
		s.says(s.client, echo)
		_, _ = io.WriteString(s.client, half)
		synctest.Wait()
		s.took(s.toServer)
		s.hold("")
		synctest.Wait()
		if s.i.On() {
			t.Error("it still decides")
		}
		s.says(s.client, rest, list)
		s.took(s.toServer, echo, echo, list)
	})
}

// TestHoldRefused holds the choices that cannot be made.
func TestHoldRefused(t *testing.T) {
	perform(t, "", func(s *stage) {
		s.hold("m:message | m:tools/list | []")
		s.says(s.client, `{"jsonrpc":"2.0","method":"notifications/message"}`, list)
		for _, c := range []session.Choice{
			{Verb: "sing"},
			{Verb: session.Release, Text: []byte("a\nb")},
			{Verb: session.Release, Status: 404},
			{Verb: session.AnswerError},
			{Verb: session.Respond, Text: []byte("{")},
		} {
			if err := s.place.Decide(t.Context(), nil, c); !errors.Is(err, session.ErrRefused) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		for _, c := range []session.Choice{
			{Verb: session.AnswerToolError},
			{Verb: session.Respond, Text: []byte("{")},
			{Verb: session.Respond, Text: []byte(`{"x":{{params.nothing}}}`)},
			{Verb: session.Respond, Text: []byte(`{"jsonrpc":"2.0"}`)},
		} {
			if err := s.place.Decide(t.Context(), []uint64{2}, c); !errors.Is(err, session.ErrRefused) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if len(s.held()) != 2 {
			t.Errorf("held: %v", s.held())
		}
		if err := s.place.Intercept(t.Context(), session.Interception{Filter: "lat>1s"}); !errors.Is(err, session.ErrRefused) {
			t.Errorf("a filter that needs the future: %v", err)
		}
		if err := s.place.SetFaults(t.Context(), []string{"nonsense"}); !errors.Is(err, session.ErrRefused) {
			t.Errorf("a fault that is none: %v", err)
		}
	})
}

// TestLiveFaults holds that faults are set while the session goes on, and what is released
// gets them too.
func TestLiveFaults(t *testing.T) {
	perform(t, "", func(s *stage) {
		if err := s.place.SetFaults(t.Context(), []string{"m:tools/list: duplicate n=1"}); err != nil {
			t.Fatal(err)
		}
		s.hold("m:tools/list")
		s.says(s.client, list)
		s.choose(session.Choice{Verb: session.Release})
		s.took(s.toServer, list, list)
		other := s.open("another screen")
		if err := other.SetFaults(t.Context(), []string{"m:tools/list: duplicate n=1", "m:ping: duplicate"}); err != nil {
			t.Fatal(err)
		}
		s.hold("")
		_ = other.Close() // Its fault ends with it, that of the other place does not.
		if got := s.place.State().Faults; len(got) != 1 || got[0] != "m:tools/list: duplicate n=1" {
			t.Errorf("a place that has left has the faults %q", got)
		}
		s.says(s.client, pinging)
		s.took(s.toServer, pinging)
		_ = s.place.SetFaults(t.Context(), nil)
		s.says(s.client, list)
		s.took(s.toServer, list)
		s.mu.Lock()
		defer s.mu.Unlock()
		if got := s.notes[0] + "\n" + s.notes[1]; got != "on faults: m:tools/list: duplicate n=1 (by screen)\non hold: m:tools/list (by screen)" {
			t.Errorf("noted: %q", s.notes)
		}
	})
}
