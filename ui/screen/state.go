package screen

import (
	"wiretea/ui/config"
)

// restore takes the state of the panes from the last time.
func (s *Screen) restore(set config.Settings) {
	if set.Layout.Main > 0 {
		s.layout = layout{
			Below: set.Layout.Below, Main: set.Layout.Main, Body: set.Layout.Body, Low: set.Layout.Low,
			HideDetail: set.Layout.HideDetail, HideStderr: set.Layout.HideStderr, HideFindings: set.Layout.HideFindings,
		}
		s.layout.sane()
	}
}

// Settings returns what is to be kept for the next time.
func (s *Screen) Settings() config.Settings {
	set := s.opt.Settings
	l := s.layout
	set.Layout = config.Layout{
		Below: l.Below, Main: l.Main, Body: l.Body, Low: l.Low,
		HideDetail: l.HideDetail, HideStderr: l.HideStderr, HideFindings: l.HideFindings,
	}
	return set
}
