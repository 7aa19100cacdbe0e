package screen_test

import (
	"testing"

	"wiretea/ui/screen"
	"wiretea/ui/termtest"
)

// TestFilterBy makes a filter of a row, and adds one of a JSON member to it.
func TestFilterBy(t *testing.T) {
	st := state{size: sizes[1], open: recording, shows: "traffic"}
	s := st.reach(t, termtest.SessionOptions{}, screen.Options{})
	s.Type(":8\r")
	waitRow(s, " 8 ")
	s.Type("&")
	s.WaitText(`t:"echo"`)
	s.Keys("enter")
	s.WaitText("traffic · t:echo")
	s.Keys("tab", "}", "}")
	s.WaitText(`"result"`) // The keys that follow move in the response.
	s.Keys("j", "j")
	s.Type("&")
	s.WaitText("messages that have this member")
	s.Keys("enter")
	s.WaitText("traffic · t:echo j:")
}
