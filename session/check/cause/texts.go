package cause

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"wiretea/session/commands"
	"wiretea/session/lazy"
)

// say returns the texts that a function makes for the groups; empty texts mean that it is no
// such cause.
func say(function string, groups []string) (reason, mend string) {
	switch function {
	case "missingVariables":
		return missingVariables(groups)
	case "missingFields":
		return missingFields(groups)
	case "missingArguments":
		return missingArguments(groups)
	case "javaVersions":
		return javaVersions(groups)
	case "refused":
		return refused(groups)
	case "missingCommand":
		return missingCommand(groups)
	case "missingFile":
		return missingFile(groups)
	case "missingFolder":
		return missing("folder", groups[0])
	case "invalidFile":
		return invalidFile(groups)
	}
	panic("cause: no function " + function)
}

// missingVariables is about environment variables: a list of their names.
func missingVariables(groups []string) (reason, mend string) {
	names := regexp.MustCompile(causes.Get().expand(`{variable}|[A-Z][A-Z0-9]+`)).FindAllString(groups[0], 4)
	for _, name := range names {
		for _, start := range [...]string{"ERR_", "SQLITE_", "UND_ERR"} {
			if strings.HasPrefix(name, start) {
				return "", "" // The code of an error.
			}
		}
	}
	if strings.Contains(groups[0], "_NOT_FOUND") {
		return "", ""
	}
	wanted := all(names)
	before, _, either := strings.Cut(groups[0], " or ")
	if either {
		wanted = strings.Join(names, " or ")
		names = regexp.MustCompile(causes.Get().expand(`{variable}`)).FindAllString(before, 4)
	}
	flags := make([]string, len(names))
	for i, name := range names {
		flags[i] = "--env " + name + "=…"
	}
	if len(names) == 1 {
		reason = "the environment variable " + names[0] + " is not set"
	} else {
		reason = "the environment variables " + all(names) + " are not set"
	}
	return reason, fmt.Sprintf(`set %s, here with %s, in a client's configuration with "env"`, wanted, strings.Join(flags, " "))
}

// all joins names: a, b and c.
func all(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// missingFields is about what a class of settings says of its fields.
func missingFields(groups []string) (reason, mend string) {
	var names []string
	for _, m := range regexp.MustCompile(`(\w+): Field required`).FindAllStringSubmatch(groups[0], 4) {
		names = append(names, m[1])
	}
	if names == nil {
		return "", ""
	}
	reason = "a setting is missing: " + names[0]
	if len(names) > 1 {
		reason = "settings are missing: " + all(names)
	}
	return reason, "set " + all(names) + ", usually by environment variables of these names in capitals"
}

// missingArguments is about options that are listed with commas.
func missingArguments(groups []string) (reason, mend string) {
	names := strings.FieldsFunc(groups[0], func(r rune) bool { return r == ',' || r == ' ' })
	for i, name := range names {
		if !strings.HasPrefix(name, "-") && !strings.Contains(groups[0], "-"+name) && name == strings.ToLower(name) {
			names[i] = "--" + name
		}
	}
	if len(names) == 1 {
		return "the argument " + names[0] + " is missing", "add " + names[0] + " to the command"
	}
	return "the arguments " + all(names) + " are missing", "add " + all(names) + " to the command"
}

// javaVersions is about the version of a class file and that of the runtime.
func javaVersions(groups []string) (reason, mend string) {
	const before = 44 // Class files of Java 1 have 45.
	wants, _ := strconv.Atoi(groups[0])
	has, _ := strconv.Atoi(groups[1])
	if wants <= has || has <= before {
		return "", ""
	}
	return fmt.Sprintf("it requires Java %d, and Java %d was started", wants-before, has-before), fmt.Sprintf("start it with Java %d or later", wants-before)
}

// address matches the host and the port of a connection.
var address = lazy.Regexp{Text: `([\w.-]+|\[[\da-f:]+\]):(\d{2,5})\b|"([\w.-]+)", port (\d{2,5})|\('([\w.:-]+)', (\d{2,5})`}

// refused is about a connection that was refused: what was said of it.
func refused(groups []string) (reason, mend string) {
	mend = "start that service, or correct its address in the server's settings"
	all := address.Get().FindAllStringSubmatch(groups[0], -1)
	if len(all) == 0 {
		return "a service that it needs refuses the connection", mend
	}
	m := strings.Join(all[len(all)-1][1:], " ") // The last address is that of the error; only one alternative has groups.
	parts := strings.Fields(m)
	host, port := parts[0], parts[1]
	reason = "nothing listens at " + host + ":" + port
	if service := causes.Get().services[port]; service != "" {
		reason += ", usually the port of " + service
	}
	return reason, mend
}

// missingCommand is about the name of a command.
func missingCommand(groups []string) (reason, mend string) {
	name := groups[0]
	product := commands.Product(name)
	switch meant := commands.Meant(name, func(string) bool { return false }); {
	case meant != "":
		return "the command " + name + " does not exist: did you mean " + meant + "?", "correct the name " + name
	case product != "":
		return "the command " + name + " is not in the server's PATH", "install " + product + ", or give the full path of " + name
	case strings.Contains(name, "/"):
		return missingFile(groups)
	}
	return "the command " + name + " is not in the server's PATH", "install " + name + ", or correct its name or the server's PATH"
}

// missingFile is about the path of a file or a folder.
func missingFile(groups []string) (reason, mend string) {
	if name := groups[0][strings.LastIndexAny(groups[0], `/\\`)+1:]; !strings.Contains(name, ".") {
		return missing("path", groups[0])
	}
	return missing("file", groups[0])
}

func missing(what, path string) (reason, mend string) {
	if !strings.HasPrefix(path, "/") && !strings.Contains(path, `:\`) && !strings.HasPrefix(path, "~") {
		return fmt.Sprintf("the %s %s does not exist in the server's working directory", what, path), fmt.Sprintf("create %s, correct its path, or start the server in its folder (--cwd)", path)
	}
	return fmt.Sprintf("the %s %s does not exist", what, path), "create " + path + ", or correct its path in the server's arguments or settings"
}

// invalidFile is about a file's format, the file, and a place in it; the place may
// come first.
func invalidFile(groups []string) (reason, mend string) {
	format, path, place := groups[0], groups[1], groups[2]
	if strings.HasPrefix(path, "line ") {
		path, place = place, path
	}
	return path + " is not valid " + strings.ToUpper(format), "correct " + path + " at " + place
}
