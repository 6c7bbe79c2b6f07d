package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/server"
	"hush/server/settings"
)

// configs has the commands for the settings of a service.
type configs struct {
	administrator

	reader *settings.Reader
}

// command returns "hush admin config": it checks the settings of the service, and writes
// a file to begin with.
func (w configs) command() *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "config", Short: "check and create configuration files",
		Long: `Check and create configuration files.

A configuration file is YAML and has the same names as the flags of "hush serve",
without the dashes:
  listen: 0.0.0.0:7143
  base-url: https://hush.example.com
  trusted-proxies: [10.0.0.5, "::1"]
A flag takes precedence over a variable, and a variable over the file.`,
		Example: `# Write a file with every setting, and check it
hush admin config init hush.yaml
hush admin config check --config hush.yaml`,
	}, w.checkCommand(), w.initCommand())
}

func (w configs) checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "check", Short: "check the settings and print them", Args: command.Takes(0, 0),
		Long: `Check the settings that "hush serve" would start with: those of the flags, of the
environment and of the file of --config. It names every mistake, or prints all
settings, each with where it comes from, and without passwords. It creates and
changes nothing, and connects to nothing.`,
		Example: `# Check a file, and print all settings
hush admin config check --config /etc/hush/hush.yaml
# Check flags before the service gets them
hush admin config check --acme --base-url https://hush.example.com`,
	}
	settings.ReadByCommand(c)
	s := settings.Add(c, settings.Names()...)
	c.RunE = func(c *cobra.Command, _ []string) error { return w.check(c.Context(), c.Flags(), s) }
	return c
}

// check prints the mistakes, or if there are none the values.
func (w configs) check(ctx context.Context, set *pflag.FlagSet, s *settings.Settings) error {
	sources, mistakes := w.reader.Gather(ctx, set)
	if len(mistakes) == 0 {
		for _, err := range server.Check(ctx, s) {
			mistakes = append(mistakes, sources.Locate(err))
		}
	}
	for _, warning := range sources.Warnings() {
		w.Tellf("%s", warning)
	}
	for _, err := range mistakes {
		w.Tellf("%v", err)
	}
	switch n := len(mistakes); {
	case n == 1:
		return errors.New("the settings have a mistake")
	case n > 1:
		return fmt.Errorf("the settings have %d mistakes", n)
	}
	if s.Config != "" && sources.HasPassword(set) && console.IsEverybodys(s.Config) {
		w.Tellf("every user of this machine may read the password in %s", s.Config)
	}
	return w.print(set, s, sources)
}

// print writes all values as a configuration file, with their sources.
func (w configs) print(set *pflag.FlagSet, s *settings.Settings, sources *settings.Sources) error {
	for _, group := range settings.Groups() {
		for _, name := range group.Names {
			f := set.Lookup(name)
			source := sources.Of(name)
			if source == "" {
				source = "default"
			}
			value := s.Effective(f)
			if value == "" || source == "default" && flags.ExampleOf(f) != f.DefValue {
				continue // nothing is set
			}
			line, err := yamlLine(name, withoutPasswords(f, value))
			if err == nil {
				_, err = fmt.Fprintf(w.Out, "%-50s # %s\n", line, strings.TrimSuffix(source, ": "+name))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutPasswords returns the value of a flag without the passwords in it. A URL was
// checked before: its password is where url.Parse finds one.
func withoutPasswords(f *pflag.Flag, value string) string {
	if !flags.IsSecret(f) || !settings.IsDatabase(value) {
		return value
	}
	u, err := url.Parse(value)
	if err != nil {
		return "***"
	}
	parameters := strings.Split(u.RawQuery, "&")
	for i, parameter := range parameters {
		name, value, found := strings.Cut(parameter, "=")
		if found && (!shownParameter.MatchString(name) || strings.Contains(value, "@")) {
			parameters[i] = name + "=xxxxx"
		}
	}
	u.RawQuery = strings.Join(parameters, "&")
	return u.Redacted()
}

// shownParameter are the parameters of a database's URL that hold no password. All
// others are masked.
var shownParameter = regexp.MustCompile(`^(user|host|port|dbname|sslmode|sslrootcert|sslcert|sslkey|passfile|service|servicefile|target_session_attrs|connect_timeout)$`)

// yamlLine returns a setting as a line of a file. Values are read as they are
// written, so only one that would be none needs quotes.
func yamlLine(name, value string) (string, error) {
	content := &yaml.Node{Kind: yaml.ScalarNode, Value: value}
	if content.ShortTag() == "!!null" {
		content.Style = yaml.DoubleQuotedStyle
	}
	line, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: name}, content}})
	return strings.TrimSuffix(string(line), "\n"), err
}

func (w configs) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init [FILE]", Short: "write a configuration file to begin with", Args: command.Takes(0, 1), ValidArgsFunction: command.CompleteFiles,
		Long: `Write a configuration file in which every setting is described and commented out,
to FILE or standard output. FILE must not exist yet; only its owner may read it,
because it may get a password.`,
		Example: `# Write a file to begin with
hush admin config init hush.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "-" {
				return writeConfig(w.Out)
			}
			return w.create(args[0])
		},
	}
}

// create writes a new file.
func (w configs) create(path string) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already", path)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := writeConfig(file); err != nil {
		return err
	}
	w.Tellf("wrote %s; start with \"hush serve --config %s\"", path, path)
	return nil
}

// writeConfig writes a file in which every setting is commented out.
func writeConfig(to io.Writer) error {
	var text strings.Builder
	text.WriteString(`# Settings of Hush, for "hush serve --config FILE". Remove the "#" at the beginning
# of a line to change a setting; "hush admin config check --config FILE" finds
# mistakes. A flag takes precedence over a variable, and a variable over this file.
`)
	c := &cobra.Command{}
	settings.Add(c, settings.Names()...)
	for _, group := range settings.Groups() {
		fmt.Fprintf(&text, "\n## %s\n", group.Title)
		for _, name := range group.Names {
			f := c.Flags().Lookup(name)
			line, err := yamlLine(name, flags.ExampleOf(f))
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "\n%s#%s\n", command.Comment(f), line)
		}
	}
	_, err := io.WriteString(to, text.String())
	return err
}
