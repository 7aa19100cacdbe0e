package recorder

import "context"

// RunAhead is Run, which reads ahead in batches of size records, unless that is 0.
func RunAhead(ctx context.Context, f *Follower, size int) error { return f.run(ctx, size) }
