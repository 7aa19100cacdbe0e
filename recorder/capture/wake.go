package capture

// A Wake says that something has moved. It holds one token at most: however often
// it is notified while nobody receives, it wakes once.
type Wake chan struct{}

// NewWake returns a Wake without a token.
func NewWake() Wake { return make(Wake, 1) }

// Notify puts the token there. It never blocks.
func (w Wake) Notify() {
	select {
	case w <- struct{}{}:
	default:
	}
}
