package highlight

import (
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// head is how much of a text is looked at to find its language.
const head = 4 << 10

// Language guesses the language of a text from how it begins, empty = none. The
// names are those of chroma's lexers, and "log" for logs and stack traces.
func Language(text string) string {
	text = strings.TrimLeft(text[:min(len(text), head)], " \t\r\n\ufeff")
	first, rest, _ := strings.Cut(text, "\n")
	first = strings.TrimRight(first, " \r")
	lower := strings.ToLower(first)
	has := func(prefix ...string) bool {
		return slices.ContainsFunc(prefix, func(p string) bool { return strings.HasPrefix(lower, p) })
	}
	switch {
	case has("#!") && strings.Contains(first, "python"):
		return "python"
	case has("#!") && strings.Contains(first, "node"):
		return "javascript"
	case has("#!"):
		return "bash"
	case has("diff --git ", "--- a/", "index: ", "@@ -"), has("--- ") && strings.HasPrefix(rest, "+++ "):
		return "diff"
	case has("<!doctype html", "<html"):
		return "html"
	case has("<?xml"), has("<") && !strings.ContainsAny(first[:min(len(first), 2)], " =") && strings.HasSuffix(first, ">"):
		return "xml"
	case has("{", "[") && strings.ContainsAny(text, `"`) && (has(`{"`, `[{`, `["`) || first == "{" || first == "["):
		return "json"
	}
	return languageOfLines(text)
}

// logLine matches a line that begins as those of logs do, with a time or a level, and a line of
// a stack trace.
var logLine = lazy.Regexp{Text: `^\s*\[?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)` +
	`|^\s*\[?(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)[\]:\s]` +
	`|^(Traceback \(most recent|goroutine \d+ \[|panic: |Caused by: |Exception in thread )` +
	`|^\s+(at .+[:(]|File ".+", line \d)|^\t\S+\.\w+:\d+`}

// languageOfLines counts the lines that look like one language or another.
func languageOfLines(text string) string {
	count := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		word, after, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
		switch word {
		case "package", "func":
			count["go"]++
		case "def", "elif", "from":
			count["python"]++
		case "const", "let", "function", "export":
			count["javascript"]++
		case "interface", "type":
			count["typescript"]++
		case "SELECT", "INSERT", "UPDATE", "CREATE", "DELETE":
			count["sql"] += 2
		case "#", "##", "###", "####", "-", "*", "1.", ">":
			if after != "" && word != "#" {
				count["markdown"]++
			} else if after != "" {
				count["markdown"]++
				count["yaml"]++
			}
		}
		if logLine.Get().MatchString(line) {
			count["log"]++
			continue
		}
		switch {
		case strings.HasPrefix(word, "```"):
			count["markdown"] += 4
		case strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "|"), strings.Contains(line, "**"):
			count["markdown"]++
		case strings.HasSuffix(word, ":") && len(word) > 1 && !strings.Contains(after, " "):
			count["yaml"]++
		}
		if (word == "def" || word == "class" || word == "if" || word == "for") && strings.HasSuffix(line, ":") {
			count["python"] += 2
		}
		if strings.HasSuffix(line, ";") || strings.HasSuffix(line, " => {") {
			count["javascript"]++
			count["typescript"]++
		}
	}
	best := ""
	for _, name := range []string{"log", "markdown", "go", "python", "typescript", "javascript", "sql", "yaml"} {
		if count[name] > count[best] {
			best = name
		}
	}
	if best != "markdown" && count[best] < 2 {
		return ""
	}
	return best
}
