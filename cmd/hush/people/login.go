package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hush/cli/command"
	"hush/cli/console"
	"hush/cli/flags"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// loginCommand is one call of "hush login".
type loginCommand struct {
	console   *console.Console
	connector *connector
	username  string
	tokenFile string
	// before is the profile that the new one replaces; the zero value is none.
	before profile.Profile
}

// Login returns "hush login": it stores a profile. A token is checked before it is
// stored, and never printed.
func Login(on *console.Console, environment []string) *cobra.Command {
	l := &loginCommand{console: on}
	c := &cobra.Command{
		Use: "login", Short: "store a server, and an API token for it", Args: command.Takes(0, 0),
		Long: `Store a server, and an API token for it, as a profile. Commands use the profile
"default" unless another one is in use: see "hush profile".

The token is asked for, hidden; without one, calls are made without an account. It
is checked, and kept in the keyring of the system, or, where there is none, in a
file that only you can read. Create one on the page /account/tokens of the server.

A server is asked what it speaks: Hush, or the Onetime Secret interface v2 or v1.
The last two see the text of every secret, so that you are asked whether to use
them; --protocol answers that. The profile keeps --ca-file, so that commands trust
its certificates when they call this server.`,
		Example: `# Choose a server, and ask for a token
hush login --server https://hush.example
# Store another one as the profile "work", with a token from a file
hush login --profile work --server https://secrets.example --token-file token`,
	}
	flags.Text(&l.username, "", "e-mail `address` of the account; v1 and v2 need it with a token")(c.Flags(), "username")
	flags.Text(&l.tokenFile, "", "`file` with the API token in its first line, - for standard input")(c.Flags(), "token-file")
	l.connector = addServerFlags(c, on, environment)
	c.RunE = func(c *cobra.Command, _ []string) error { return l.run(c.Context()) }
	return c
}

func (l *loginCommand) run(ctx context.Context) error {
	if err := command.HasFile("token-file", l.tokenFile); err != nil {
		return err
	}
	one, err := l.profile(ctx)
	if err != nil {
		return err
	}
	token, err := l.credentials(ctx, &one)
	if err != nil {
		return err
	}
	account, err := l.check(ctx, one, token)
	if err != nil {
		return err
	}
	one, err = l.connector.profiles.Put(ctx, one, token)
	if err != nil {
		return err
	}
	l.report(one, account)
	return nil
}

// profile returns the profile to store, still without a token.
func (l *loginCommand) profile(ctx context.Context) (profile.Profile, error) {
	given, err := l.connector.given()
	if err != nil {
		return profile.Profile{}, err
	}
	profiles, err := l.connector.profiles.Load()
	if err != nil {
		return profile.Profile{}, err
	}
	one, err := findLoginProfile(profiles, given)
	if err != nil {
		return profile.Profile{}, err
	}
	if one.Server == "" {
		if one.Server, err = l.askServer(ctx); err != nil {
			return profile.Profile{}, err
		}
	}
	l.before, _ = profiles.Find(one.Name)
	known := profile.SameServer(l.before.Server, one.Server)
	switch {
	case given.protocol != nil:
		one.Protocol = *given.protocol
	case known:
		one.Protocol = l.before.Protocol
	default:
		if one.Protocol, err = l.connector.detectProtocol(ctx, one.Server); err != nil {
			return profile.Profile{}, err
		}
	}
	if known {
		one.Username, one.CAFile = l.before.Username, l.before.CAFile
	}
	file, err := l.connector.absoluteCAFile()
	one.CAFile = cmp.Or(file, one.CAFile)
	return one, err
}

// findLoginProfile returns the name and the server of the profile that a login is for. The
// server is empty if it must be asked for.
func findLoginProfile(profiles *profile.Profiles, given givenServer) (profile.Profile, error) {
	if given.profile != "" {
		if err := profile.CheckName(given.profile); err != nil {
			return profile.Profile{}, command.Usage("%v", err)
		}
		before, _ := profiles.Find(given.profile)
		one := profile.Profile{Name: given.profile, Server: given.server}
		if one.Server == "" {
			one.Server = before.Server
		}
		return one, nil
	}
	if given.server == "" {
		if current, ok := profiles.Find(profiles.Current); ok {
			return profile.Profile{Name: current.Name, Server: current.Server}, nil
		}
		return profile.Profile{Name: profile.Default}, noProfileInUse(profiles)
	}
	of := profiles.OfServer(given.server)
	switch {
	case len(of) == 1 || len(of) > 1 && of[0].Name == profiles.Current:
		return profile.Profile{Name: of[0].Name, Server: of[0].Server}, nil
	case len(of) > 1:
		return profile.Profile{}, command.Usage("several profiles are for %s: name one with --profile", given.server)
	case len(profiles.All) == 0:
		return profile.Profile{Name: profile.Default, Server: given.server}, nil
	}
	one := profile.Profile{Name: profileNameOf(given.server), Server: given.server}
	if _, taken := profiles.Find(one.Name); taken || profile.CheckName(one.Name) != nil {
		return profile.Profile{}, command.Usage("name the profile for %s with --profile", given.server)
	}
	return one, nil
}

// noProfileInUse returns a usage error if there are profiles but none is in use.
func noProfileInUse(profiles *profile.Profiles) error {
	if len(profiles.All) == 0 {
		return nil
	}
	return command.Usage("no profile is in use: name one of %s with --profile, or a new one", strings.Join(profiles.Names(), ", "))
}

// profileNameOf returns the name of a profile for a server: its host, with the port.
func profileNameOf(server string) string {
	base, err := client.ParseServer(server)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(base.Host, ":", "-")
}

func (l *loginCommand) askServer(ctx context.Context) (string, error) {
	if !l.console.CanAsk() {
		return "", command.Usage("no server is chosen: pass --server URL, or set %s", command.VariableServer)
	}
	return l.connector.askServer(ctx)
}

// credentials returns the token, and sets the username that v1 and v2 need with it.
func (l *loginCommand) credentials(ctx context.Context, one *profile.Profile) (client.Text, error) {
	if l.username != "" {
		one.Username = l.username
	}
	token, err := l.token(ctx)
	if err != nil || token.IsEmpty() || one.Protocol == client.ProtocolHush {
		return token, err
	}
	if one.Username == "" && l.console.CanAsk() {
		one.Username, err = l.console.Ask(ctx, "E-mail address of the account: ")
		one.Username = strings.TrimSpace(one.Username)
	}
	if err == nil && one.Username == "" {
		err = command.Usage("%s needs the address of the account with its token: pass --username ADDRESS", one.Protocol)
	}
	return token, err
}

// token reads the token, or asks for it.
func (l *loginCommand) token(ctx context.Context) (client.Text, error) {
	var text string
	var err error
	switch {
	case l.tokenFile != "":
		text, err = l.console.SecretLine(ctx, l.tokenFile)
		err = command.InFlag("token-file", err)
	case l.console.CanAsk():
		text, err = l.console.AskHidden(ctx, "API token (empty for none): ")
	default:
		return client.Text{}, command.Usage("pass the API token with --token-file FILE, or - for standard input")
	}
	if err != nil {
		return client.Text{}, err
	}
	text = strings.TrimSpace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return client.Text{}, command.Usage("this is no API token: it contains other characters than printable ones of ASCII")
	}
	return client.Hide(text), nil
}

// check asks the server whose the token is. Without a token it asks for something
// that every server of the protocol answers.
func (l *loginCommand) check(ctx context.Context, one profile.Profile, token client.Text) (client.Account, error) {
	c, err := l.connector.newClient(ctx, serverTarget{server: one.Server, protocol: one.Protocol, username: one.Username, token: token, caFile: one.CAFile})
	if err != nil {
		return client.Account{}, withExitCode(err)
	}
	if token.IsEmpty() {
		_, err := c.Policy(ctx)
		return client.Account{}, withExitCode(err)
	}
	account, err := c.Account(ctx)
	if errors.Is(err, client.ErrUnauthorized) {
		err = fmt.Errorf("%s does not accept this token; nothing was stored", one.Server)
		return client.Account{}, &command.ExitError{Code: command.ExitRefused, Cause: err}
	}
	return account, withExitCode(err)
}

// report says what was stored, and what that replaced.
func (l *loginCommand) report(one profile.Profile, account client.Account) {
	if l.before.Name != "" && !profile.SameServer(l.before.Server, one.Server) {
		l.console.Tellf("the profile %s is no longer for %s", one.Name, l.before.Server)
	}
	if l.before.Token != profile.PlaceNone && one.Token == profile.PlaceNone {
		l.console.Tellf("the token that the profile had is forgotten; %s", revokeHint(l.before))
	}
	if one.Token == profile.PlaceNone {
		l.console.Tellf("the profile %s calls %s without an account", one.Name, one.Server)
	} else {
		l.console.Tellf("the profile %s calls %s as %s", one.Name, one.Server, console.Printable([]byte(accountName(one, account))))
	}
	if one.Token == profile.PlaceKeyring { // the store says it of a file
		l.console.Tellf("the token is kept in %s", l.connector.profiles.Where(one.Token))
	}
	if one.CAFile != "" {
		l.console.Tellf("it trusts the certificates in %s too", one.CAFile)
	}
	if one.Protocol != client.ProtocolHush {
		l.console.Tellf("%s speaks %s: it sees the text of every secret", one.Server, one.Protocol)
	}
	if usesTokenVariable(l.connector, one) {
		l.console.Tellf("%s is set for %s: commands send it, and no stored token", command.VariableToken, one.Server)
	}
	profiles, err := l.connector.profiles.Load()
	if err == nil && profiles.Current != one.Name {
		l.console.Tellf("the profile %s is still in use: \"hush profile use %s\" changes that", profiles.Current, one.Name)
	}
}

func accountName(one profile.Profile, account client.Account) string {
	if account.Address == "" {
		return one.Username
	}
	return account.Address
}
