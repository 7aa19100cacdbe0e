package files

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/recorder/verdict/report"
	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
	"wiretea/ui/plain"
)

func newShow(dir *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME…",
		Short: "summarize recordings",
		Long: `Prints a summary of each recording: client and server, methods, duration, size,
findings, and how the session ended.`,
		Example: `  wiretea sessions show 20261120-100000-everything-4711
  wiretea sessions show --json ./session.mcpcap.jsonl.zst`,
		Args:              sessionArgs(),
		ValidArgsFunction: completeSessions(dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i, name := range args {
				p, err := portray(cmd.Context(), recorder.Find(*dir, name), cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				if asJSON {
					err = p.writeJSON(cmd.OutOrStdout())
				} else {
					if i > 0 {
						fmt.Fprintln(cmd.OutOrStdout())
					}
					err = p.writeText(term.Painted(cmd.OutOrStdout()))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per recording")
	return cmd
}

// A portrait is what is told of one recording.
type portrait struct {
	info   recorder.Info
	s      *session.Snapshot
	shake  *recorder.Handshake
	report *report.Report
}

// portray reads a recording to its present end.
func portray(ctx context.Context, path string, errw io.Writer) (*portrait, error) {
	f, s, err := term.Judged(ctx, path, session.Limits{}, errw)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := recorder.Stat(path)
	if err != nil {
		return nil, term.RecordingFailure(path, err)
	}
	judged := report.New(path, new(verdict.Policy).Judge(verdict.Session{Snapshot: s}))
	return &portrait{info: info, s: s, shake: recorder.ReadHandshake(f, s, recorder.HandshakeRows), report: judged}, nil
}

// peerWord is a peer's name and version.
func peerWord(p recorder.Peer) string { return term.Visible(p.String()) }

func (p *portrait) writeJSON(w io.Writer) error {
	h := p.s.Header()
	return report.Encode(w, struct {
		Path   string `json:"path"`
		Size   int64  `json:"size"`
		State  string `json:"state"`
		Start  string `json:"start"`
		Length int64  `json:"length"` // nanoseconds
		Mode   string `json:"mode"`
		Server string `json:"server"`
		Client string `json:"client"`
		Cmd    any    `json:"cmd"`
		Cwd    string `json:"cwd"`
		Ended  string `json:"ended"`
		Lost   int64  `json:"lost"`
		Report *report.Report
	}{
		p.info.Path, p.info.Size, p.info.Live.String(), h.T0.Format("2006-01-02T15:04:05.000Z07:00"), p.s.Clock(), h.Mode,
		peerWord(p.shake.Server), peerWord(p.shake.Client), h.Server(), h.Cwd, p.ended(), p.s.Totals().Gap, p.report,
	})
}

// ended is the end's why, empty where there is no end.
func (p *portrait) ended() string {
	if end := p.s.End(); end != nil {
		return end.Why
	}
	return ""
}

func (p *portrait) writeText(to io.Writer, colour bool) error {
	h, r, w := p.s.Header(), p.report, bufio.NewWriter(to)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	if p.info.Size > 0 {
		line("file", "%s (%s)", term.Visible(p.info.Path), text.Size(p.info.Size))
	} else { // A pipe has no size.
		line("file", "%s", term.Visible(p.info.Path))
	}
	if h.Part > 0 {
		line("ring", "its file %d: the handshake and what was unanswered are repeated from the one before", h.Part)
	}
	line("recorded", "%s, %s, by %s (%s)", h.T0.Local().Format("2006-01-02 15:04:05"), text.Duration(p.s.Clock()), term.Visible(h.Tool), term.Visible(h.Mode))
	line("server", "%s", cmp.Or(peerWord(p.shake.Server), "name unknown"))
	if len(h.Server()) > 0 {
		line("command", "%s", text.CommandLine(h.Server()))
	}
	if h.Cwd != "" {
		line("folder", "%s", term.Visible(h.Cwd))
	}
	line("client", "%s", cmp.Or(peerWord(p.shake.Client), "name unknown"))
	line("protocol", "%s", cmp.Or(strings.TrimSpace(r.Era+" "+term.Visible(r.ProtocolVersion)), "none seen"))
	t := p.s.Totals()
	line("frames", "%s: to the server %s, %s; from it %s, %s; stderr %s, %s", text.Count(r.Frames),
		text.Count(t.Frames[session.C2S]), text.Size(t.Bytes[session.C2S]), text.Count(t.Frames[session.S2C]), text.Size(t.Bytes[session.S2C]),
		text.Count(t.Frames[session.Stderr]), text.Size(t.Bytes[session.Stderr]))
	line("requests", "%s, %s unanswered, %s answered by an error", text.Count(r.Exchanges.Total), text.Count(r.Exchanges.Pending), text.Count(r.Exchanges.Errors))
	line("process", "%s", term.Visible(r.Process.String()))
	line("end", "%s", p.endWords())
	if r.Missing != "" {
		line("missing", "✖ %s", r.Missing)
	}
	line("findings", "%s, %s, %d info", text.Plural(int64(r.Summary["error"]), "error"), text.Plural(int64(r.Summary["warning"]), "warning"), r.Summary["info"])
	if len(r.Worst) > 0 {
		fmt.Fprintln(w)
		plain.WriteFindings(w, r.Worst, colour)
	}
	return w.Flush()
}

// endWords say how the recording ended.
func (p *portrait) endWords() string {
	switch why := p.ended(); {
	case why == recorder.Rolled:
		return "the ring continues in the next file"
	case why == recorder.Repaired:
		return "it was incomplete, and was repaired"
	case why != "":
		return term.Visible(why)
	case p.info.Live == recorder.Live:
		return "● it is live"
	}
	return "it is incomplete (wiretea sessions repair makes a complete file)"
}
