package recorder

import "context"

// RunAhead is Run, which reads what the log has ahead in batches of size records; with 0 as
// what comes later is read.
func RunAhead(ctx context.Context, f *Follower, size int) error {
	return f.run(ctx, func(r *Reader) error {
		if size == 0 {
			return nil
		}
		return readAhead(ctx, r, size, false, Decoding, f.take(ctx))
	})
}
