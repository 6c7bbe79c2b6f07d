package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// clientAnnotation is the annotation of a command that calls a server, and
// versionAnnotation that of the root with the release of the program.
const (
	clientAnnotation  = "hush_client"
	versionAnnotation = "hush_version"
)

// annotate adds an annotation to a command.
func annotate(c *cobra.Command, key, value string) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[key] = value
}

// MarkClient makes c a command of a person who uses a server, and not of one who
// runs it: it has no settings, so that neither a configuration file nor a variable
// that stands for a setting changes what it does. Of the variables only those of
// ClientVariables count.
func MarkClient(c *cobra.Command) { annotate(c, clientAnnotation, "yes") }

// IsClient reports whether a command is marked by MarkClient.
func IsClient(c *cobra.Command) bool { return c.Annotations[clientAnnotation] != "" }

// The variables of commands that call a server.
const (
	VariableProfile  = "HUSH_PROFILE"
	VariableServer   = "HUSH_SERVER"
	VariableProtocol = "HUSH_PROTOCOL"
	VariableToken    = "HUSH_TOKEN"
)

// ClientVariables are the variables of commands that call a server. Other commands
// ignore them.
func ClientVariables() []string {
	return []string{VariableProfile, VariableServer, VariableProtocol, VariableToken}
}

// CheckClientVariables returns a usage error for a variable whose name is almost
// that of one of ClientVariables: to ignore it could send a secret to another server
// than the one that is meant. An empty one is like none.
func CheckClientVariables(environment []string) error {
	known := ClientVariables()
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		near := ""
		if strings.HasPrefix(name, "HUSH_") && value != "" {
			near = Nearest(name, known)
		}
		if near != "" && near != name {
			return Usage("unknown variable %s in the environment; did you mean %s?", name, near)
		}
	}
	return nil
}

// SetVersion gives a root the release of the program.
func SetVersion(root *cobra.Command, version string) { annotate(root, versionAnnotation, version) }

// Version returns the release of the program that has c.
func Version(c *cobra.Command) string { return c.Root().Annotations[versionAnnotation] }
