package check

// Bounds of validation. It costs some microseconds a call, so that a flood of
// calls is looked at by samples: maxBudget steps at once, and one more for each
// call. Counted this way the same calls are looked at live and in the file.
const (
	maxBudget  = 500_000
	maxOneCall = 200_000 // steps for one value
	perCall    = 30      // steps that a validation costs besides its own
)
