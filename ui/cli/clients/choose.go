package clients

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// A choice is what of the clients' files the user means.
type choice struct {
	client  clientconfig.Client
	file    string    // file is the one file to look at; empty = all of the client's.
	level   levelFlag // level is the one level to look at; empty = all.
	project string

	broken error // broken is why one of several files was passed over; nil = none was.
}

// A levelFlag is a level of entries; empty = all.
type levelFlag clientconfig.Level

func (l *levelFlag) String() string { return string(*l) }
func (l *levelFlag) Type() string   { return "string" }

func (l *levelFlag) Set(text string) error {
	if !slices.Contains(levels, text) {
		return fmt.Errorf("there are %s", strings.Join(levels, ", "))
	}
	*l = levelFlag(text)
	return nil
}

var levels = []string{string(clientconfig.User), string(clientconfig.Project), string(clientconfig.Local)}

// chooseFlags adds the flags of a choice.
func (c *choice) chooseFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.file, "file", "", "the configuration `FILE` (default the client's own)")
	cmd.Flags().Var(&c.level, "level", "only entries of this `LEVEL`: user, project or local")
	ProjectFlag(cmd, &c.project)
	term.Complete(cmd, "level", levels...)
}

// setClient takes the client's name.
func (c *choice) setClient(id string) error {
	client, ok := clientconfig.Lookup(id)
	if ok && id == clientconfig.Other && c.file == "" {
		return term.Usage("--file FILE names it", "no file given")
	}
	if !ok {
		return term.Usage(text.Nearest(id, clientIDs(), "known are "+strings.Join(clientIDs(), ", ")), "unknown client %q", id)
	}
	c.client = client
	if id == clientconfig.Other {
		c.client.Title = term.Visible(c.file)
	}
	return nil
}

// take takes the client and returns the server's name, which all leaves out. A file that
// was named says whose it is.
func (c *choice) take(args []string, all bool) (name string, err error) {
	if len(args) == 2 || len(args) == 1 && all {
		return args[len(args)-1], c.setClient(args[0])
	}
	place, err := term.ClientPlace(c.project)
	if err != nil {
		return "", err
	}
	client := clientconfig.Other
	for _, f := range inventory.Find(place) {
		if inventory.SamePath(f.Path, c.file) {
			client = f.Client
		}
	}
	return strings.Join(args, ""), c.setClient(client)
}

func clientIDs() []string {
	var ids []string
	for _, c := range clientconfig.All() {
		ids = append(ids, c.ID)
	}
	return ids
}

// files returns those of the client's files that are there. A file that cannot
// be read is an error where it was asked for, or where it is the only one.
func (c *choice) files() ([]clientconfig.File, error) {
	place, err := term.ClientPlace(c.project)
	if err != nil {
		return nil, err
	}
	var there []clientconfig.File
	var broken error
	var searched []string
	for _, f := range inventory.Find(place) {
		if f.Client != c.client.ID || c.file != "" && !inventory.SamePath(f.Path, c.file) {
			continue
		}
		searched = append(searched, inventory.UnderHome(f.Path, place.Home))
		there, broken = addFile(there, broken, f)
	}
	if len(searched) == 0 {
		there, broken = addFile(there, broken, clientconfig.Read(c.client.ID, c.file))
		searched = append(searched, c.file)
	}
	switch {
	case len(there) > 0:
		c.broken = broken
		return there, nil
	case broken != nil:
		return nil, broken
	case c.client.ID == clientconfig.Other:
		return nil, term.Usage("--file names a client's configuration file", "no such file: %s", term.Visible(c.file))
	}
	return nil, term.Usage("wiretea clients lists the files that are there; --file names another", "%s has no configuration file: looked for %s",
		c.client.Title, strings.Join(searched, ", "))
}

func addFile(there []clientconfig.File, broken error, f clientconfig.File) ([]clientconfig.File, error) {
	switch {
	case f.Missing():
	case f.Err != nil && broken == nil:
		broken = &term.Failure{Code: term.ExitUsage, Hint: "nothing was changed", Err: fmt.Errorf("reading %s: %s", term.Visible(f.Path), term.Visible(f.Err.Error()))}
	case f.Err == nil:
		there = append(there, f)
	}
	return there, broken
}

// A found is an entry in a file.
type found struct {
	file   clientconfig.File
	server clientconfig.Server
}

// servers returns the entries of the files that the choice allows. An entry for
// one project counts only in that project, unless everywhere is asked for.
func (c *choice) servers(everywhere bool) ([]found, error) {
	files, err := c.files()
	if err != nil {
		return nil, err
	}
	project, err := filepath.Abs(c.project)
	if err != nil {
		return nil, err
	}
	names := inventory.FolderNames(project)
	var all []found
	for _, f := range files {
		for _, s := range f.Servers {
			if c.level != "" && s.Level != clientconfig.Level(c.level) || s.Folder != "" && !everywhere && !slices.Contains(names, filepath.Clean(s.Folder)) {
				continue
			}
			all = append(all, found{f, s})
		}
	}
	return all, nil
}

// names are those of the servers that can be chosen, once each; none where they cannot be
// read. which selects servers; nil selects all.
func (c *choice) names(which func(clientconfig.Server) bool) []string {
	all, err := c.servers(false)
	if err != nil {
		return nil
	}
	var names []string
	for _, h := range all {
		if (which == nil || which(h.server)) && !slices.Contains(names, h.server.Name) {
			names = append(names, h.server.Name)
		}
	}
	return names
}

// one returns the only entry with a name. Where there are several, it is the only
// one that is meant; meant may be nil.
func (c *choice) one(name string, meant func(clientconfig.Server) bool) (found, error) {
	all, err := c.servers(false)
	if err != nil {
		return found{}, err
	}
	var places []string
	var hits, likely []found
	for _, h := range all {
		if h.server.Name != name {
			continue
		}
		hits = append(hits, h)
		places = append(places, fmt.Sprintf("%s (%s)", h.file.Path, h.server.Level))
		if meant != nil && meant(h.server) {
			likely = append(likely, h)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) == 0:
		return found{}, c.noServer(name)
	case len(likely) == 1:
		return likely[0], nil
	}
	return found{}, term.Usage("choose with --level or --file", "there are several servers %q: %s", name, strings.Join(places, ", "))
}

// noServer says that there is no such server, and where else it might be.
func (c *choice) noServer(name string) error {
	where := ""
	if c.level != "" {
		where = fmt.Sprintf(" at the level %s", c.level.String())
	}
	err := term.Usage(c.serverHint(name), "%s has no server %q%s", c.client.Title, name, where)
	if c.broken != nil {
		return term.Usage("it may be in the file that cannot be read", "%w, and %w", err, c.broken)
	}
	return err
}

// elsewhere are the folders of the other projects that have a server by a name.
func (c *choice) elsewhere(name string) []string {
	all, err := c.servers(true)
	if err != nil {
		return nil
	}
	var folders []string
	for _, h := range all {
		if h.server.Name == name && h.server.Folder != "" {
			folders = append(folders, text.ShellWord(h.server.Folder))
		}
	}
	return folders
}

func (c *choice) serverHint(name string) string {
	if folders := c.elsewhere(name); len(folders) > 0 {
		return "it is only in " + strings.Join(folders, " and ") + ": change to that folder, or name it with --project"
	}
	names := c.names(nil)
	switch {
	case len(names) > 0:
	case c.file != "":
		return fmt.Sprintf("%s has no servers; %s keeps them under %s", term.Visible(c.file), c.client.Title, clientconfig.Read(c.client.ID, c.file).Key())
	default:
		return "it has no servers; wiretea clients lists what is in its files"
	}
	all := "it has " + strings.Join(names, ", ")
	if near := text.Nearest(name, names, ""); near != "" && len(names) > 1 {
		all = near + " " + all
	}
	return term.Visible(all)
}

// completeClientServer completes CLIENT and then SERVER; which says whether a
// server is offered.
func completeClientServer(which func(clientconfig.Server) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return clientIDs(), cobra.ShellCompDirectiveNoFileComp
		case 1:
			return serverNames(args[0], cmd, which), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func serverNames(client string, cmd *cobra.Command, which func(clientconfig.Server) bool) []string {
	var c choice
	if c.setClient(client) != nil {
		return nil
	}
	for flag, to := range map[string]*string{"file": &c.file, "level": (*string)(&c.level), "project": &c.project} {
		if f := cmd.Flags().Lookup(flag); f != nil {
			*to = f.Value.String()
		}
	}
	return c.names(which)
}
