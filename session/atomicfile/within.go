package atomicfile

import "context"

// Within returns what f returns, or the context's error as soon as that ends: opening a
// pipe waits for its other end, and nothing interrupts that. f goes on then, and its
// answer is dropped: only for a program that is about to exit.
func Within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
