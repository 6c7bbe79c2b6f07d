package command

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// --help fits a screen. What is a detail is left to --help-all and the manual pages.
const (
	detailsAnnotation = "hush_details" // of a command: further paragraphs
	detailAnnotation  = "hush_detail"  // of a flag
)

// AddDetails adds paragraphs to what help says of a command, for those who ask for all
// of it: --help-all and the manual pages have them.
func AddDetails(c *cobra.Command, text string) { annotate(c, detailsAnnotation, text) }

// MarkDetail leaves a flag to --help-all and the manual pages.
func MarkDetail(f *pflag.Flag) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[detailAnnotation] = []string{"yes"}
}

func isDetail(f *pflag.Flag) bool { return f.Annotations[detailAnnotation] != nil }

// aboutInFull is about with the details.
func aboutInFull(c *cobra.Command) string {
	return strings.TrimSpace(about(c) + "\n\n" + strings.TrimSpace(c.Annotations[detailsAnnotation]))
}

// hasDetails reports whether --help-all says more of a command than --help.
func hasDetails(c *cobra.Command) bool {
	if c.Annotations[detailsAnnotation] != "" {
		return true
	}
	for _, list := range flagLists(c) {
		for _, f := range list.flags {
			if list.title != helpGroup && (isDetail(f) || flagTitle(f) != flagName(f) || flagText(f) != flagSummary(f)) {
				return true
			}
		}
	}
	return false
}

// fullHelpName is the name of the flag that prints all help.
const fullHelpName = "help-all"

// helpGroup is the title of the flags that print help.
const helpGroup = "Help"

// addHelpFlags gives c and the commands below it --help and --help-all.
func addHelpFlags(c *cobra.Command) {
	c.InitDefaultHelpFlag()
	help := c.Flags().Lookup("help")
	help.Usage = "print help that fits a screen"
	full := c.Flags().VarPF(&fullHelp{help: help}, fullHelpName, "", "print help with all flags and details")
	full.NoOptDefVal = strconv.FormatBool(true)
	MarkSetting(help, helpGroup, "")
	MarkSetting(full, helpGroup, "")
	for _, sub := range c.Commands() {
		addHelpFlags(sub)
	}
}

// wantsFullHelp reports whether --help-all was given to a command.
func wantsFullHelp(c *cobra.Command) bool {
	f := c.Flags().Lookup(fullHelpName)
	return f != nil && f.Value.String() == strconv.FormatBool(true)
}

// fullHelp is the value of --help-all. It sets --help, too, by which the command is not
// run and needs no arguments.
type fullHelp struct {
	help *pflag.Flag
	on   bool
}

func (v *fullHelp) String() string { return strconv.FormatBool(v.on) }

// Type is what help and completion know a switch by.
func (*fullHelp) Type() string { return "bool" }

// Set parses a value.
func (v *fullHelp) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("must be true or false")
	}
	if v.on = on; on {
		return v.help.Value.Set(text)
	}
	return nil
}
