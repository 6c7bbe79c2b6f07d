package command

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
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

// CheckClientVariables returns a usage error for a variable of Hush that neither these
// commands nor the service know, since what it is meant to do would not happen: a secret
// would be shared without its passphrase, or go to another server. So does an empty one
// that chooses a server or an account. The settings are the variables of the service. The
// warnings name what is empty and counts as not set.
func CheckClientVariables(environment, settings []string) (warnings []string, err error) {
	own := ClientVariables()
	for _, entry := range environment {
		name, value, _ := strings.Cut(entry, "=")
		isEmpty := strings.TrimSpace(value) == ""
		switch {
		case !strings.HasPrefix(name, "HUSH_") || slices.Contains(settings, name) || IsInjected(name, value):
		case !slices.Contains(own, name) && value != "":
			return nil, unknownVariable(name, own)
		case !slices.Contains(own, name) || !isEmpty:
		case name == VariableProtocol:
			warnings = append(warnings, name+" is empty, which counts as not set")
		default:
			return nil, Usage("%s is empty, and another server or account would be used: give it a value, or unset it", name)
		}
	}
	return warnings, nil
}

// unknownVariable is the error for a variable that no part of the program reads.
func unknownVariable(name string, known []string) error {
	if near := Nearest(name, known); near != "" {
		return Usage("unknown variable %s in the environment; did you mean %s?", name, near)
	}
	return Usage("unknown variable %s in the environment: no command of hush reads it, so unset it", name)
}

var (
	injectedHost    = regexp.MustCompile(`^HUSH(_[A-Z0-9_]+)?_SERVICE_HOST$`)
	injectedNumber  = regexp.MustCompile(`^HUSH(_[A-Z0-9_]+)?(_SERVICE_PORT(_[A-Z0-9_]+)?|_PORT_[0-9]+_(TCP|UDP|SCTP)_PORT)$`)
	injectedURL     = regexp.MustCompile(`^HUSH(_[A-Z0-9_]+)?_PORT(_[0-9]+_(TCP|UDP|SCTP))?$`)
	injectedProto   = regexp.MustCompile(`^HUSH(_[A-Z0-9_]+)?_PORT_[0-9]+_(TCP|UDP|SCTP)_PROTO$`)
	injectedAddress = regexp.MustCompile(`^HUSH(_[A-Z0-9_]+)?_PORT_[0-9]+_(TCP|UDP|SCTP)_ADDR$`)
)

// IsInjected reports whether a variable is one that Kubernetes gives every container for
// a Service whose name begins with hush: by its name, and by the form of its value.
func IsInjected(name, value string) bool {
	switch {
	case injectedHost.MatchString(name), injectedAddress.MatchString(name):
		_, err := netip.ParseAddr(value)
		return err == nil
	case injectedNumber.MatchString(name):
		_, err := strconv.ParseUint(value, 10, 16)
		return err == nil
	case injectedProto.MatchString(name):
		return value == "tcp" || value == "udp" || value == "sctp"
	case injectedURL.MatchString(name):
		protocol, place, ok := strings.Cut(value, "://")
		_, err := netip.ParseAddrPort(place)
		return ok && err == nil && (protocol == "tcp" || protocol == "udp" || protocol == "sctp")
	}
	return false
}

// SetVersion gives a root the release of the program.
func SetVersion(root *cobra.Command, version string) { annotate(root, versionAnnotation, version) }

// Version returns the release of the program that has c.
func Version(c *cobra.Command) string { return c.Root().Annotations[versionAnnotation] }
