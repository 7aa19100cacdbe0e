package mcp

// LogLevels are the levels of log messages, from the least to the most severe
// (RFC 5424). Callers must not change it.
var LogLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
