package report

import (
	"fmt"
	"io"
	"strings"

	"wiretea/session"
	"wiretea/session/text"
)

// writeGitHub writes workflow commands, which GitHub Actions shows as annotations:
// one for each finding. The diagnosis comes first, in the log.
func writeGitHub(w io.Writer, reports []*Report, _ Look) error {
	for _, r := range reports {
		v := r.verdict
		if v.Sentence != "" {
			// A line that a server wrote must not become a command.
			if _, err := fmt.Fprintf(w, "%s: %s\n", logText(r.Source), logText(v.Headline())); err != nil {
				return err
			}
		}
		for i := range v.Findings {
			if err := writeCommand(w, r, &v.Findings[i].Finding); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "%s: %s, %s, %d info\n", logText(r.Source), text.Plural(int64(r.Summary["error"]), "error"), text.Plural(int64(r.Summary["warning"]), "warning"), r.Summary["info"]); err != nil {
			return err
		}
	}
	return nil
}

func writeCommand(w io.Writer, r *Report, f *session.Finding) error {
	command := "notice"
	switch f.Severity {
	case session.Error:
		command = "error"
	case session.Warning:
		command = "warning"
	case session.Info, session.NoSeverity:
	}
	words := text.Line(f.Message)
	if f.Repeated() {
		words += fmt.Sprintf(" (%d times)", f.Count)
	}
	if f.Hint != "" {
		words += "\nhint: " + text.Line(f.Hint)
	}
	if len(f.Breaks) > 0 {
		words += "\nbreaks: " + strings.Join(f.Breaks, ", ")
	}
	if f.Ref != "" {
		words += "\n" + f.Ref
	}
	title := f.Rule
	if f.N > 0 {
		title += fmt.Sprintf(" #%d", f.N)
	}
	_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", command, propertyText(title+" · "+text.Line(r.Source)), dataText(words))
	return err
}

// logText makes a text one line of the log that is not taken for a workflow command.
func logText(words string) string {
	words = text.Line(words)
	if strings.HasPrefix(strings.TrimSpace(words), "::") || strings.HasPrefix(strings.TrimSpace(words), "##[") {
		words = "'" + words
	}
	return words
}

// dataText and propertyText escape as the runner unescapes them.
func dataText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func propertyText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}
