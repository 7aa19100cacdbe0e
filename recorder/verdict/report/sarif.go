package report

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/check"
)

// The parts of SARIF 2.1.0 that are written: one run, with the rules that have
// results. https://docs.oasis-open.org/sarif/sarif/v2.1.0/
type (
	SARIF struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name            string      `json:"name"`
		Version         string      `json:"version"`
		SemanticVersion string      `json:"semanticVersion"`
		Rules           []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string        `json:"id"`
		Short   sarifText     `json:"shortDescription"`
		Full    *sarifText    `json:"fullDescription,omitempty"`
		Help    *sarifText    `json:"help,omitempty"`
		HelpURI string        `json:"helpUri,omitempty"`
		Default sarifDefaults `json:"defaultConfiguration"`
	}
	sarifDefaults struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Message sarifText `json:"message"`
		Level   string    `json:"level"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Count        int               `json:"occurrenceCount"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   sarifProperties   `json:"properties"`
	}
	sarifProperties struct {
		Fault  string   `json:"fault"`
		Frame  uint64   `json:"frame"`
		Breaks []string `json:"breaks,omitempty"`
		Source string   `json:"source"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line int64 `json:"startLine"`
	}
)

func writeSARIF(w io.Writer, reports []*Report, _ Look) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "wiretea", Version: recorder.Version, SemanticVersion: recorder.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true}},
		Results:     []sarifResult{},
		ColumnKind:  "unicodeCodePoints",
	}
	index := map[string]int{}
	for _, r := range reports {
		if r.Diagnosis != "" {
			n := &run.Invocations[0].Notifications
			*n = append(*n, sarifNotification{sarifText{r.Source + ": " + r.Diagnosis}, "note"})
		}
		lines := &lineCount{log: r.verdict.Session.Log, line: 1}
		for i := range r.verdict.Findings {
			f := &r.verdict.Findings[i].Finding
			at, known := index[f.Rule]
			if !known {
				at = len(run.Tool.Driver.Rules)
				index[f.Rule] = at
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f))
			}
			run.Results = append(run.Results, sarifResultOf(r, f, at, lines))
		}
	}
	return Encode(w, SARIF{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifLevel is SARIF's word for a severity.
func sarifLevel(sev session.Severity) string {
	if sev <= session.Info {
		return "note"
	}
	return sev.String()
}

func sarifRuleOf(f *session.Finding) sarifRule {
	rule := verdict.RuleOf(f.Rule)
	if rule == nil { // A recording's index may name a rule of a later version.
		rule = &check.Rule{ID: f.Rule, Severity: f.Severity}
	}
	text := rule.Text()
	out := sarifRule{ID: rule.ID, Short: sarifText{text.Title}, HelpURI: f.Ref, Default: sarifDefaults{sarifLevel(rule.Severity)}}
	if text.Explain != "" {
		out.Full = &sarifText{text.Explain}
	}
	if text.Hint != "" {
		out.Help = &sarifText{text.Hint}
	}
	return out
}

func sarifResultOf(r *Report, f *session.Finding, rule int, lines *lineCount) sarifResult {
	text := f.Message
	if f.Hint != "" {
		text += "\n" + f.Hint
	}
	place := sarifPhysical{Artifact: sarifArtifact{r.artifact()}}
	if f.Row != session.NoRow && len(r.Command) == 0 {
		if line := lines.at(r.verdict.Session.Snapshot.Row(f.Row).Off); line > 0 {
			place.Region = &sarifRegion{line}
		}
	}
	return sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: sarifLevel(f.Severity), Message: sarifText{text},
		Locations: []sarifLocation{{place}}, Count: f.Count,
		Fingerprints: map[string]string{"wireteaFinding/v1": verdict.Fingerprint(f.Rule, f.Fault.String(), f.Message)},
		Properties:   sarifProperties{f.Fault.String(), f.N, f.Breaks, r.Source},
	}
}

// artifact is the file that a result is shown at: the recording, else the first
// word of the command that is a file of this folder, else the command.
func (r *Report) artifact() string {
	if len(r.Command) == 0 {
		return fileURI(r.Source)
	}
	for _, word := range r.Command {
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() && filepath.IsLocal(word) {
			return fileURI(word)
		}
	}
	return fileURI(r.Command[0])
}

// fileURI is a path as a reference: relative where it is.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if strings.HasPrefix(path, "/") {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}

// A lineCount tells the line of a place in a session file. Places are mostly
// asked for in their order.
type lineCount struct {
	log  recorder.Log
	off  int64
	line int64
}

// at returns the line that begins at off, from 1; 0 where it cannot be read.
func (c *lineCount) at(off int64) int64 {
	if c.log == nil {
		return 0
	}
	if off < c.off {
		c.off, c.line = 0, 1
	}
	buf := make([]byte, 64<<10)
	for c.off < off {
		n, err := c.log.ReadAt(buf[:min(int64(len(buf)), off-c.off)], c.off)
		c.line += int64(bytes.Count(buf[:n], []byte{'\n'}))
		c.off += int64(n)
		if n == 0 || err != nil && !errors.Is(err, io.EOF) {
			return 0
		}
	}
	return c.line
}
