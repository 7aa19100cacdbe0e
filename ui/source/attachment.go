package source

// An Attachment names the processes of a session that is watched from outside. Pids are 0 and
// names empty where they are not known.
type Attachment struct {
	Tee        int    // Tee is the process that stands between client and server and records.
	Client     int    // Client is the process that the tee serves.
	ClientName string // ClientName is what it calls itself, else that process's name, made visible.
	Refused    string // Refused says why nothing can be done to the session, empty = it can.
}
