// Package settings holds what an administrator may set: the flags that have a
// variable in the environment. There is one list of them for the whole program,
// and a file for each group of the list, with what its values must be. Reading
// them changes nothing and opens nothing.
package settings

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hush/cli/command"
	"hush/cli/flags"
)

// Settings are the values of all settings. A command adds those that it uses to
// its flags; the environment and the configuration file may hold the others.
type Settings struct {
	fileSettings
	networkSettings
	dataSettings
	backupSettings
	limitSettings
	secretSettings
	accountSettings
	pageSettings
	mailSettings
	observeSettings
	processSettings
}

// setting is a flag with a variable.
type setting struct {
	name   string
	define flags.Define
}

// firstDayAnnotation is the annotation of a flag that firstDay marks.
const firstDayAnnotation = "hush_first_day"

// firstDay marks a setting that the first day of a service needs. Help leaves the others
// to --help-all.
func firstDay(define flags.Define) flags.Define {
	return func(set *pflag.FlagSet, name string) {
		define(set, name)
		_ = set.SetAnnotation(name, firstDayAnnotation, []string{"yes"}) // the flag exists
	}
}

// group is what help shows under one title.
type group struct {
	title    string
	settings []setting
}

// groups is the one list of settings, and with it of variables.
func (s *Settings) groups() []group {
	return []group{
		{"Configuration", s.fileSettings.settings()},
		{"Network", s.networkSettings.settings()},
		{"Data", s.dataSettings.settings()},
		{"Backups", s.backupSettings.settings()},
		{"Limits", s.limitSettings.settings()},
		{"Secrets", s.secretSettings.settings()},
		{"Accounts", s.accountSettings.settings()},
		{"Pages", s.pageSettings.settings()},
		{"Mail", s.mailSettings.settings()},
		{"Metrics", s.observeSettings.settings()},
		{"Process", s.processSettings.settings()},
	}
}

// Add adds the named settings, and the one of the configuration file, to the
// flags of a command. The values are there once the command runs.
func Add(c *cobra.Command, names ...string) *Settings {
	s := &Settings{}
	for _, group := range s.groups() {
		for _, setting := range group.settings {
			if setting.name == configName || slices.Contains(names, setting.name) {
				setting.define(c.Flags(), setting.name)
				f := c.Flags().Lookup(setting.name)
				command.MarkSetting(f, group.title, Variable(setting.name))
				if needsValue(setting.name) {
					command.MarkNotEmpty(f)
				}
				if f.Annotations[firstDayAnnotation] == nil {
					command.MarkDetail(f)
				}
			}
		}
	}
	return s
}

// AddExisting is Add for a command that creates no data. To name the data is all that
// people need for it, so that its other settings are details.
func AddExisting(c *cobra.Command, names ...string) *Settings {
	s := Add(c, names...)
	c.Flags().Lookup("data").Usage = "`folder` with the data of the service"
	for _, name := range names {
		if name != "data" {
			command.MarkDetail(c.Flags().Lookup(name))
		}
	}
	return s
}

// Group is what help and configuration files have under one title.
type Group struct {
	Title string
	Names []string // of settings
}

// Groups returns all groups of settings that a configuration file may have, in
// their order.
func Groups() (groups []Group) {
	for _, group := range new(Settings).groups() {
		made := Group{Title: group.title}
		for _, setting := range group.settings {
			if setting.name != configName {
				made.Names = append(made.Names, setting.name)
			}
		}
		if len(made.Names) > 0 {
			groups = append(groups, made)
		}
	}
	return groups
}

// Names returns the names of all settings.
func Names() []string {
	names := []string{configName}
	for _, group := range Groups() {
		names = append(names, group.Names...)
	}
	return names
}

// Effective returns the value of a setting that is in effect. It is another than
// the flag's if it depends on other settings.
func (s *Settings) Effective(f *pflag.Flag) string {
	if f.Name == listenName {
		return s.ListenAddress()
	}
	return f.Value.String()
}

// Check returns a usage error for the first values that do not go together.
func (s *Settings) Check() error {
	for _, err := range s.Conflicts() {
		return err
	}
	return nil
}

// Conflicts returns a usage error for each pair of values that do not go together.
func (s *Settings) Conflicts() (conflicts []error) {
	for _, check := range []func() error{
		s.networkSettings.check, s.checkACMEStore, s.checkSpentLog, s.checkMoved, s.checkBackups, s.mailSettings.check, s.secretSettings.check,
		s.checkMetrics, s.checkAddresses,
	} {
		if err := check(); err != nil {
			conflicts = append(conflicts, err)
		}
	}
	return conflicts
}
