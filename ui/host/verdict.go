package host

import (
	"cmp"
	"strings"

	"wiretea/session"
	"wiretea/ui/format"
	"wiretea/ui/style"
)

// Name names the session: of a URL its host and its path.
func (t *Tab) Name() string {
	title := t.Source.Title()
	if h := t.Ctx.Header; t.Ctx.HTTP() && t.Ctx.Attached != nil && h.Name == "" {
		title = h.URL
	}
	if _, rest, url := strings.Cut(title, "://"); url && t.Ctx.HTTP() {
		return rest
	}
	return title
}

// Severity is how bad the root cause of what is wrong with the session is.
func (t *Tab) Severity() session.Severity {
	_, sev := t.Findings.Cause(&t.Ctx)
	return sev
}

// Counts are the numbers of findings by severity, worst first, without those that were
// silenced; of a session without findings its verdict's sign.
func (t *Tab) Counts() string {
	found, _ := t.Findings.Counts(&t.Ctx)
	return cmp.Or(CountWords(t.Ctx.Theme, found), t.VerdictSign())
}

// CountWords writes numbers of findings by severity.
func CountWords(th *style.Theme, found [4]int64) string {
	var parts []string
	for _, sev := range []session.Severity{session.Error, session.Warning, session.Info} {
		if n := found[sev]; n > 0 {
			look, sign := th.Severity(sev)
			parts = append(parts, look.Paint(sign+" "+format.Count(n)))
		}
	}
	return strings.Join(parts, "  ")
}

// VerdictSign is what the header has of a session without findings. What is wrong may rest on
// none: a server that could not be started breaks no rule.
func (t *Tab) VerdictSign() string {
	cause, sev := t.Findings.Cause(&t.Ctx)
	if cause.Empty() || cause.Finding >= 0 {
		sev = session.NoSeverity
	}
	look, sign := t.Ctx.Theme.Severity(sev)
	if c := t.Ctx.Snap.LastConn(); sev == session.Error && c != nil && c.Failed && !c.Started {
		if t.Ctx.Live && !t.Ctx.Past && !t.Ctx.Paused {
			return "" // The word for how the session stands says it.
		}
		return look.Paint(sign + " not started")
	}
	return look.Paint(sign)
}
