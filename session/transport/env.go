package transport

import "strings"

// CheckEnv parts environment entries ("NAME=value") into those that may be given
// to a server and the names of those that are refused. Refused are variables by
// which the loader of every program puts foreign code into it (LD_PRELOAD,
// DYLD_INSERT_LIBRARIES and their like), where they come from a file: a project's
// configuration may be a stranger's. What a person typed is taken as it is.
func CheckEnv(vars []string, fromFile bool) (kept, refused []string) {
	for _, v := range vars {
		name := envName(v)
		if fromFile && isLoaderVariable(name) {
			refused = append(refused, name)
			continue
		}
		kept = append(kept, v)
	}
	return kept, refused
}

func isLoaderVariable(name string) bool {
	switch name {
	case "GCONV_PATH", "LIBPATH", "SHLIB_PATH":
		return true
	}
	return strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "_RLD")
}
