package style

// LogLevel returns the sign and the style of a level of log messages. A level that
// is none of the eight has neither.
func (t *Theme) LogLevel(level string) (sign string, style Style) {
	switch level {
	case "debug":
		return "·", t.Dim
	case "info", "notice":
		return "ℹ", t.Info
	case "warning":
		return "⚠", t.Warning
	case "error", "critical", "alert", "emergency":
		return "✖", t.Error
	}
	return " ", t.Text
}
