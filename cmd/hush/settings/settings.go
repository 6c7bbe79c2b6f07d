// Package settings holds what an administrator may set: the flags that have a
// variable in the environment. There is one list of them for the whole program,
// and a file for each group of the list, with what its values must be. Reading
// them changes nothing and opens nothing.
package settings

import (
	"slices"

	"github.com/spf13/cobra"

	"hush/cmd/hush/command"
	"hush/cmd/hush/flags"
)

// Settings are the values of all settings. A command adds those that it uses to
// its flags; the environment may hold the others.
type Settings struct {
	networkSettings
	dataSettings
	limitSettings
	secretSettings
	accountSettings
	pageSettings
	mailSettings
	processSettings
}

// setting is a flag with a variable.
type setting struct {
	name   string
	define flags.Define
}

// group is what help shows under one title.
type group struct {
	title    string
	settings []setting
}

// groups is the one list of settings, and with it of variables.
func (s *Settings) groups() []group {
	return []group{
		{"Network", s.networkSettings.settings()},
		{"Data", s.dataSettings.settings()},
		{"Limits", s.limitSettings.settings()},
		{"Secrets", s.secretSettings.settings()},
		{"Accounts", s.accountSettings.settings()},
		{"Pages", s.pageSettings.settings()},
		{"Mail", s.mailSettings.settings()},
		{"Process", s.processSettings.settings()},
	}
}

// Add adds the named settings to the flags of a command. The values are there
// once the command runs.
func Add(c *cobra.Command, names ...string) *Settings {
	s := &Settings{}
	for _, group := range s.groups() {
		for _, setting := range group.settings {
			if slices.Contains(names, setting.name) {
				setting.define(c.Flags(), setting.name)
				command.MarkSetting(c.Flags().Lookup(setting.name), group.title, Variable(setting.name))
			}
		}
	}
	return s
}

// Names returns the names of all settings.
func Names() (names []string) {
	for _, group := range new(Settings).groups() {
		for _, setting := range group.settings {
			names = append(names, setting.name)
		}
	}
	return names
}

// Check returns a usage error for values that do not go together.
func (s *Settings) Check() error {
	for _, check := range []func() error{s.networkSettings.check, s.mailSettings.check, s.secretSettings.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
