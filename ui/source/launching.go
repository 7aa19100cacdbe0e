package source

// A Launching is a Source whose server is started by this process. Launcher names the
// package manager that fetches or builds it; empty where none does.
type Launching interface{ Launcher() string }
