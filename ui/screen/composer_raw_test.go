package screen_test

import (
	"strings"
	"testing"

	"wiretea/session/client"
)

// TestComposeRaw holds that a whole message is sent as it is where it is one of
// its own, and any bytes as they are.
func TestComposeRaw(t *testing.T) {
	const mine = `{"jsonrpc":"2.0","id":"mine","method":"ping"}`
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose ping\r")
	s.WaitText("[form]")
	s.Keys("ctrl+o")
	s.WaitText("[raw]")
	s.WaitText(`"auto"`)
	for range 6 { // line by line, and the line ends
		s.Keys("ctrl+k", "delete")
	}
	waitGone(s, `"auto"`)
	s.Paste(mine)
	s.WaitText(`"mine"`)
	s.Keys("ctrl+s")
	// params, where the values belong, are missing
	s.WaitText("send anyway?")
	s.Keys("y")
	if got := c.line(t); got != mine {
		t.Errorf("sent %s", got)
	}
	waitGone(s, "[raw]")
	s.Type(":history\r")
	s.WaitText("message  {")
	s.Keys("enter")
	s.WaitText("[raw]")
	s.WaitText(`"mine"`)
	s.Keys("ctrl+s")
	s.WaitText("send anyway?")
	s.WaitText("no params")
	s.Keys("y")
	if got := c.line(t); got != mine {
		t.Errorf("sent %s", got)
	}
}

// TestComposeMalformed holds that the bytes begin with what would be sent as it
// is, id and _meta included, and go as they were typed.
func TestComposeMalformed(t *testing.T) {
	for era, shown := range map[client.EraChoice]string{
		client.Legacy: `{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}`,
		client.Modern: `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":"dev"}}}}`,
	} {
		t.Run(era.String(), func(t *testing.T) {
			c := callingIn(t, era, offering(t))
			s := composing(t, 120, 40, c)
			s.Type(":compose ping\r")
			s.WaitText("[form]")
			s.Keys("ctrl+o", "ctrl+o")
			s.WaitText("[malformed]")
			s.Keys("ctrl+e")
			s.Paste(`{"id":1,,}\r\n`)
			s.WaitText(`,,`)
			s.Keys("ctrl+s")
			if got := c.line(t); got != shown {
				t.Errorf("sent %s\nwant %s", got, shown)
			}
			if got := c.line(t); got != "{\"id\":1,,}\r" {
				t.Errorf("sent %q", got)
			}
		})
	}
}

// TestComposeMalformedTool holds that the bytes of a call have what the call has:
// its progress token, and the log level that is chosen.
func TestComposeMalformedTool(t *testing.T) {
	c := callingIn(t, client.Modern, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Type("hi")
	s.Keys("alt+l")
	s.WaitText("logs: debug")
	s.Keys("ctrl+o", "ctrl+o")
	s.WaitText("[malformed]")
	s.Keys("ctrl+s")
	bytes := c.line(t)
	waitGone(s, "[malformed]")
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Type("hi")
	s.Keys("alt+l")
	s.WaitText("logs: debug")
	s.Keys("ctrl+s")
	for {
		// What the screen asks for besides is not it.
		normal := c.line(t)
		if !strings.Contains(normal, "tools/call") {
			continue
		}
		ids := strings.NewReplacer(number(bytes, `"id":`), "N", number(normal, `"id":`), "N", "wiretea-1", "T", "wiretea-2", "T")
		if ids.Replace(bytes) != ids.Replace(normal) || !strings.Contains(bytes, `"wiretea-1"`) || !strings.Contains(bytes, "logLevel") {
			t.Errorf("bytes   %s\nnormally %s", bytes, normal)
		}
		return
	}
}

// number is a name and the number behind it.
func number(line, name string) string {
	_, rest, _ := strings.Cut(line, name)
	return name + rest[:strings.IndexAny(rest, ",}")]
}

// TestComposeMalformedLate holds that an id that has been used since the bytes
// began with it is asked about, and what the answers do.
func TestComposeMalformedLate(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose ping\r")
	s.WaitText("[form]")
	s.Keys("alt+k")
	s.WaitText("after sending: stay open")
	s.Keys("ctrl+o", "ctrl+o")
	s.WaitText("[malformed]")
	if _, err := c.peer.Call(t.Context(), "ping", nil); err != nil {
		t.Fatal(err)
	}
	if got := c.line(t); got != `{"jsonrpc":"2.0","id":2,"method":"ping"}` {
		t.Errorf("sent %s", got)
	}
	sent := func(id string) {
		t.Helper()
		if got, want := c.line(t), `{"jsonrpc":"2.0","id":`+id+`,"method":"ping","params":{}}`; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
	s.Keys("ctrl+s")
	s.WaitText("began with id 2")
	s.Keys("n")
	s.WaitText(`"id":3,`)
	s.Keys("ctrl+s")
	sent("3")
	s.Keys("ctrl+s") // and once more
	s.WaitText("began with id 3")
	s.WaitText("n puts 4 there")
	s.Keys("y")
	sent("3")
	waitGone(s, "began with")
	s.Keys("ctrl+s") // who wants the same one is asked once
	sent("3")
	s.Keys("ctrl+o", "ctrl+o", "ctrl+o")
	s.WaitText(`"id":4,`) // begun anew
}

// TestComposeWatched holds that into somebody else's session nothing is sent
// unasked, and no bytes.
func TestComposeWatched(t *testing.T) {
	a := attachedTo(offering(t), "node server.js")
	s := composing(t, 120, 40, a.Source())
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	if strings.Contains(s.Screen(), "malformed") {
		t.Errorf("bytes are offered:\n%s", s.Screen())
	}
	s.Type("hello")
	s.Keys("ctrl+s")
	s.WaitText("DO reach")
	s.Keys("n")
	waitGone(s, "DO reach")
	s.WaitText("gives back what it gets") // it is not lost
	s.Keys("ctrl+s")
	s.WaitText("DO reach")
	s.Keys("y")
	if got := <-a.sent; got != `tools/call {"name":"echo","arguments":{"message":"hello"}}` {
		t.Errorf("sent %s", got)
	}
}

// TestComposeCallLine holds that what is filled in is copied as a command line.
func TestComposeCallLine(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Type("it's")
	s.Keys("alt+c")
	got := clipboard(s, "wiretea call")
	if want := `wiretea call tools/call '{"name":"echo","arguments":{"message":"it'\''s"}}' --protocol-version 2025-11-25 --cwd /home/ann/project -- node server.js`; got != want {
		t.Errorf("copied %s, want %s", got, want)
	}
}

// TestComposeRepeat holds that a request is made as often as was said, and what
// it came to is shown; and that esc ends one that does not end.
func TestComposeRepeat(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose ping\r")
	s.WaitText("[form]")
	s.Keys("alt+r")
	s.WaitText("100 × 4")
	s.WaitText("enter repeat the request  esc back to the form")
	s.Keys("end")
	s.Type("0")
	s.WaitText("100 × 40")
	s.Keys("esc")
	s.WaitText("ctrl-s send")
	s.Keys("alt+r")
	s.WaitText("100 × 4")
	s.Type("30 3\r") // in its place
	s.WaitText("30 of 30 answered")
	s.WaitText("p99")
	for range 30 {
		if got := c.line(t); !strings.Contains(got, `"ping"`) {
			t.Errorf("sent %s", got)
		}
	}
	s.Keys("esc")
	waitGone(s, "30 of 30")
	s.Keys("esc")
	waitGone(s, "[form]")
	s.Type(":repeat 10 2\r") // brew, which the server does not have: an error each
	s.WaitText("10 of 10 answered")
	s.Keys("esc")
	waitGone(s, "10 of 10")
	s.Type(":repeat none\r")
	s.WaitText("is not that")
}
