package rule

// Bounds of validation. It costs some microseconds a call, so that a flood of
// calls is looked at by samples: MaxBudget steps at once, and one more for each
// call. Counted this way the same calls are looked at live and in the file.
const (
	MaxBudget  = 500_000
	MaxOneCall = 200_000 // steps for one value
	PerCall    = 30      // steps that a validation costs besides its own
)
