package people

import (
	"context"
	"fmt"
	"strings"

	"hush/cli/command"
	"hush/client"
	"hush/cmd/hush/people/profile"
)

// serverTarget is a server that a command calls, and as whom.
type serverTarget struct {
	server   string
	protocol client.Protocol
	username string
	token    client.Text
	// profile is the name of the profile of the server; empty for none.
	profile string
	// tokenFrom says where the token comes from: "keyring", "file", "HUSH_TOKEN", or
	// empty for none.
	tokenFrom string
	// caFile is the file of certificates that the profile has; empty for none.
	caFile string
	// decided reports whether the user chose the protocol, by a profile, a flag or a
	// variable. Otherwise it is Hush.
	decided bool
}

// protocolNames are the words that --protocol takes.
func protocolNames() []string {
	return []string{client.ProtocolHush.String(), client.ProtocolV2.String(), client.ProtocolV1.String()}
}

// target returns the server that the command calls where no link names another.
func (x *connector) target(ctx context.Context) (serverTarget, error) {
	profiles, err := x.profiles.Load()
	if err != nil {
		return serverTarget{}, err
	}
	chosen, err := x.chosen(profiles)
	if err != nil {
		return serverTarget{}, err
	}
	if chosen.server == "" {
		return x.firstTarget(ctx, profiles)
	}
	target, err := x.describe(profiles, chosen)
	if err == nil {
		err = x.authenticate(ctx, profiles, &target)
	}
	if err != nil || x.variable(command.VariableToken) == "" || target.tokenFrom == command.VariableToken {
		return target, err
	}
	why := tokenNotSent(&x.serverOptions, target.server)
	if target.tokenFrom == "" {
		return serverTarget{}, command.Usage("%s, and there is no other token for it: unset %s to go on without an account", why, command.VariableToken)
	}
	x.console.Tellf("%s", why)
	return target, nil
}

// tokenNotSent says why a server does not get HUSH_TOKEN.
func tokenNotSent(w *serverOptions, server string) string {
	if variablesNameServer(w) {
		return fmt.Sprintf("%s is for another server, and is not sent to %s", command.VariableToken, server)
	}
	return fmt.Sprintf("%s is not sent to %s: %s or %s must say that it is for this server",
		command.VariableToken, server, command.VariableServer, command.VariableProfile)
}

// usesTokenVariable reports whether commands without flags send HUSH_TOKEN to the
// server of a profile.
func usesTokenVariable(x *connector, one profile.Profile) bool {
	profiles, err := x.profiles.Load()
	unflagged := serverOptions{environment: x.environment}
	return err == nil && x.variable(command.VariableToken) != "" && unflagged.tokenFits(profiles, one.Server)
}

// firstTarget returns the server that the user names when asked, which gets
// HUSH_TOKEN: no flag and no profile names another.
func (x *connector) firstTarget(ctx context.Context, profiles *profile.Profiles) (serverTarget, error) {
	if len(profiles.All) > 0 {
		return serverTarget{}, command.Usage("no profile is in use; there are: %s: choose one with \"hush profile use NAME\", or with --profile", strings.Join(profiles.Names(), ", "))
	}
	target, err := x.askFirstServer(ctx)
	if token := x.variable(command.VariableToken); err == nil && token != "" {
		x.setVariableToken(&target, token)
	}
	return target, err
}

// targetOf returns the server of a link, without credentials. Links that only Hush
// has are never taken for those of another protocol; for others a server that no
// profile has is asked what it speaks.
func (x *connector) targetOf(ctx context.Context, profiles *profile.Profiles, server string, foreign bool) (serverTarget, error) {
	byFlags, err := lookUpServer(profiles, "--server", x.server, "--profile", x.profile)
	if err != nil {
		return serverTarget{}, err
	}
	if byFlags.server != "" && !profile.SameServer(byFlags.server, server) {
		return serverTarget{}, command.Usage("the link is of %s, and not of %s: leave out --server and --profile", server, byFlags.server)
	}
	target, err := x.describe(profiles, namedServer{server: server, profile: byFlags.profile})
	switch {
	case err != nil:
	case !foreign:
		target.protocol = client.ProtocolHush
	case !target.decided:
		target.protocol, err = x.detectLinkProtocol(ctx, server)
	}
	return target, err
}

// authenticate adds the token for the server: HUSH_TOKEN if it is for that server,
// else that of its profile.
func (x *connector) authenticate(ctx context.Context, profiles *profile.Profiles, target *serverTarget) error {
	if token := x.variable(command.VariableToken); token != "" && x.tokenFits(profiles, target.server) {
		x.setVariableToken(target, token)
		return nil
	}
	one, ok := profiles.Find(target.profile)
	if !ok || one.Token == profile.PlaceNone {
		return nil
	}
	token, err := x.profiles.Token(ctx, one)
	if err != nil {
		return err
	}
	target.token, target.tokenFrom = token, string(one.Token)
	return nil
}

// chosenProfile returns the profile that the flags, the variables or the user chose.
func (x *connector) chosenProfile() (profile.Profile, error) {
	profiles, err := x.profiles.Load()
	if err != nil {
		return profile.Profile{}, err
	}
	chosen, err := x.chosen(profiles)
	if err != nil {
		return profile.Profile{}, err
	}
	one, err := x.profileOf(profiles, chosen)
	if err == nil && one == nil {
		err = command.Usage("no profile is in use: name one with --profile")
	}
	if err != nil {
		return profile.Profile{}, err
	}
	return *one, nil
}
