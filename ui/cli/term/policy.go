package term

import (
	"time"

	"wiretea/recorder"
	"wiretea/ui/config"
)

// SessionsPolicy returns the limits of the sessions folder: those of config.toml, else
// the default ones.
func SessionsPolicy() recorder.Policy {
	p := recorder.DefaultPolicy
	dir, err := config.Dir()
	if err != nil {
		return p // no home folder, no settings
	}
	// The screen says what is wrong with the file.
	set, _ := config.Load(dir)
	age, size := AgeFlag(p.MaxAge), SizeFlag(p.MaxBytes)
	if set.Limits.MaxAge != "" && age.Set(set.Limits.MaxAge) == nil {
		p.MaxAge = time.Duration(age)
	}
	if set.Limits.MaxDisk != "" && size.Set(set.Limits.MaxDisk) == nil {
		p.MaxBytes = int64(size)
	}
	return p
}
