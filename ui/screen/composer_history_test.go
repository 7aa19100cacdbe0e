package screen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/session/client"
	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// TestComposeHistory holds that what was sent can be sent again, in another run
// and without its secrets; and templates.
func TestComposeHistory(t *testing.T) {
	dir := historyDir(t)
	open := func() (*calling, *termtest.Session) {
		c := callingIn(t, client.Legacy, offering(t))
		s := show(t, 120, 40, screen.Options{History: dir}, c)
		s.WaitText("brew")
		return c, s
	}
	c, s := open()
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Type("remember me")
	s.Keys("alt+n")
	s.WaitText("its name")
	s.Type("my greeting\r")
	s.WaitText("template my greeting is kept")
	s.Keys("ctrl+s")
	c.line(t)
	s.Type(":compose tools/call brew\r")
	s.WaitText("makes tea")
	s.Keys("ctrl+o")
	s.WaitText("[raw]")
	s.Keys("esc")
	waitGone(s, "[raw]")
	keepsOf(t, dir, 2)

	c, s = open()
	s.Type(":history\r")
	s.WaitText("★")
	s.Type("greeting")
	s.Keys("enter")
	s.WaitText("remember me")
	s.WaitText("gives back what it gets")
	s.Keys("ctrl+s")
	if got := c.line(t); !strings.Contains(got, `{"message":"remember me"}`) {
		t.Errorf("sent %s", got)
	}
}

// keepsOf waits until a server's history has n lines.
func keepsOf(t *testing.T, dir string, n int) string {
	t.Helper()
	for {
		list, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if err == nil && len(list) == 1 {
			if text, err := os.ReadFile(list[0]); err == nil && strings.Count(string(text), "\n") == n {
				return string(text)
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the history does not come")
		default:
		}
	}
}

// TestComposeSecrets holds that no secret is kept, and that it is said on recall.
func TestComposeSecrets(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	dir := historyDir(t)
	c := callingIn(t, client.Legacy, offering(t))
	s := show(t, 120, 40, screen.Options{History: dir}, c)
	s.WaitText("brew")
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Type(token)
	s.Keys("ctrl+s")
	if got := c.line(t); !strings.Contains(got, token) {
		t.Errorf("sent %s", got)
	}
	if text := keepsOf(t, dir, 1); strings.Contains(text, token) {
		t.Errorf("kept %s", text)
	}
	s.Type(":history\r")
	s.WaitText("without a secret")
	s.Keys("enter")
	s.WaitText("secrets are not kept: fill in arguments.message")
}

// TestComposeDraft holds that what was filled in and not sent is not lost, and
// that what was only looked at is not kept as a draft.
func TestComposeDraft(t *testing.T) {
	c := callingIn(t, client.Legacy, offering(t))
	s := composing(t, 120, 40, c)
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Keys("esc")
	waitGone(s, "gives back what it gets")
	s.Type(":compose\r")
	s.WaitText("demo://about")
	if strings.Contains(s.Screen(), "not sent") {
		t.Errorf("a form nobody touched is a draft:\n%s", s.Screen())
	}
	s.Keys("esc")
	waitGone(s, "demo://about")
	s.Type(":compose tools/call echo\r")
	s.WaitText("gives back what it gets")
	s.Type("half of it")
	s.WaitText("half of it")
	s.Keys("esc")
	waitGone(s, "half of it")
	s.Type(":compose\r")
	s.WaitText("go on where you left")
	s.Keys("enter")
	s.WaitText("half of it")
	s.Keys("ctrl+s")
	if got := c.line(t); !strings.Contains(got, "half of it") {
		t.Errorf("sent %s", got)
	}
}
