package rule

import "wiretea/session/json/schema"

// Bounds of validation, in steps. A validation takes some microseconds, so only
// samples of a flood of calls are validated. Steps do not depend on time: a file
// and a live session validate the same calls.
const (
	maxBudget  = 500_000 // at once; each call adds one
	maxOneCall = 200_000 // for one value
	perCall    = 30      // for each validation, besides its own
)

// A Validator holds values against schemas within a budget. The zero value has
// the full one.
type Validator struct{ spent int64 }

// A Compiled is a schema that is compiled when it is first used. The zero value
// has not been used.
type Compiled struct {
	schema *schema.Schema // schema is nil if values cannot be validated.
	done   bool
}

// Call tells that a call came, which gives the budget another step.
func (v *Validator) Call() { v.spent = max(0, v.spent-1) }

// Validate returns what is wrong with a value; nil also where that is not known.
// declared is the text of the schema.
func (v *Validator) Validate(with *Compiled, declared, value []byte) *schema.Problem {
	if len(declared) == 0 || len(value) == 0 || v.spent > maxBudget-perCall {
		return nil
	}
	if !with.done {
		with.done = true
		v.spent += int64(len(declared)) / 64
		if schema.Fault(declared) == nil && schema.RemoteRef(declared) == "" {
			with.schema, _ = schema.Compile(declared)
		}
	}
	if with.schema == nil {
		return nil
	}
	wrong, steps, err := with.schema.Validate(value, max(1, min(maxOneCall, maxBudget-v.spent)))
	if v.spent += steps + perCall; err != nil {
		return nil
	}
	return wrong
}
