package remote

import (
	"context"
	"strings"

	"hush/client"
	"hush/cmd/hush/command"
	"hush/cmd/hush/profile"
)

// Target is a server that a command calls, and as whom.
type Target struct {
	Server   string
	Protocol client.Protocol
	Username string
	Token    client.Text
	// Profile is the name of the profile of the server; empty for none.
	Profile string
	// TokenFrom says where the token comes from: "keyring", "file", "HUSH_TOKEN", or
	// empty for none.
	TokenFrom string
}

// protocolNames are the words that --protocol takes.
func protocolNames() []string {
	return []string{client.ProtocolHush.String(), client.ProtocolV2.String(), client.ProtocolV1.String()}
}

// named is a server that a pair of flags or variables names.
type named struct {
	server  string
	profile *profile.Profile
}

// Target returns the server that the command calls where no link names another.
func (x *Choice) Target(ctx context.Context) (Target, error) {
	profiles, err := x.store.Load()
	if err != nil {
		return Target{}, err
	}
	chosen, err := x.chosen(profiles)
	if err != nil {
		return Target{}, err
	}
	if chosen.server == "" {
		return Target{}, command.Usage("no server is chosen: run \"hush login\", or set %s", command.VariableServer)
	}
	target, err := x.describe(profiles, chosen)
	if err != nil {
		return Target{}, err
	}
	return target, x.authenticate(ctx, profiles, &target)
}

// chosen returns the server of the flags, else that of the variables, else that of
// the current profile.
func (x *Choice) chosen(profiles *profile.Profiles) (named, error) {
	byFlags, err := lookUp(profiles, "--server", x.server, "--profile", x.profile)
	if err != nil || byFlags.server != "" {
		return byFlags, err
	}
	byVariables, err := x.byVariables(profiles)
	if err != nil || byVariables.server != "" {
		return byVariables, err
	}
	if current, ok := profiles.Find(profiles.Current); ok {
		return named{server: current.Server, profile: &current}, nil
	}
	return named{}, nil
}

// byVariables returns the server that HUSH_SERVER or HUSH_PROFILE names.
func (x *Choice) byVariables(profiles *profile.Profiles) (named, error) {
	return lookUp(profiles, command.VariableServer, x.variable(command.VariableServer), command.VariableProfile, x.variable(command.VariableProfile))
}

// lookUp returns the server that two texts name, a base URL and the name of a
// profile, either of which may be empty. Together they must name the same.
func lookUp(profiles *profile.Profiles, serverFrom, server, profileFrom, name string) (named, error) {
	var found named
	if server != "" {
		base, err := client.ParseServer(server)
		if err != nil {
			return named{}, command.Usage("%s: %v", serverFrom, err)
		}
		found.server = base.String()
	}
	if name != "" {
		one, err := profiles.Get(name)
		if err != nil {
			return named{}, err
		}
		if found.server != "" && !profile.SameServer(found.server, one.Server) {
			return named{}, command.Usage("%s is %s, and the profile %s of %s is for %s: choose one of them", serverFrom, found.server, name, profileFrom, one.Server)
		}
		found = named{server: one.Server, profile: &one}
	}
	return found, nil
}

// targetOf returns the server of a link, without credentials. Links that only Hush
// has are never taken for those of another protocol.
func (x *Choice) targetOf(profiles *profile.Profiles, server string, foreign bool) (Target, error) {
	byFlags, err := lookUp(profiles, "--server", x.server, "--profile", x.profile)
	if err != nil {
		return Target{}, err
	}
	if byFlags.server != "" && !profile.SameServer(byFlags.server, server) {
		return Target{}, command.Usage("the link is of %s, and not of %s: leave out --server and --profile", server, byFlags.server)
	}
	target, err := x.describe(profiles, named{server: server, profile: byFlags.profile})
	if !foreign {
		target.Protocol = client.ProtocolHush
	}
	return target, err
}

// describe adds the profile of a server and the protocol that it speaks.
func (x *Choice) describe(profiles *profile.Profiles, chosen named) (Target, error) {
	target := Target{Server: chosen.server}
	one, err := x.profileOf(profiles, chosen)
	if err != nil {
		return Target{}, err
	}
	if one != nil {
		target.Profile, target.Protocol, target.Username = one.Name, one.Protocol, one.Username
	}
	return target, x.setProtocol(&target, profiles)
}

// profileOf returns the profile of a server; nil for none. If several are for it,
// the one of the flags or variables counts, and then the current one.
func (x *Choice) profileOf(profiles *profile.Profiles, chosen named) (*profile.Profile, error) {
	if chosen.profile != nil {
		return chosen.profile, nil
	}
	found := profiles.OfServer(chosen.server)
	if byVariable, ok := profiles.Find(x.variable(command.VariableProfile)); ok && profile.SameServer(byVariable.Server, chosen.server) {
		return &byVariable, nil
	}
	switch {
	case len(found) == 0:
		return nil, nil
	case len(found) == 1 || found[0].Name == profiles.Current:
		return &found[0], nil
	}
	names := make([]string, len(found))
	for i, one := range found {
		names[i] = one.Name
	}
	return nil, command.Usage("the profiles %s are for %s: choose one with --profile", strings.Join(names, " and "), chosen.server)
}

// setProtocol sets the protocol of the flag, or of the variable unless the variables
// name another server.
func (x *Choice) setProtocol(target *Target, profiles *profile.Profiles) error {
	byVariables, err := x.byVariables(profiles)
	if err != nil {
		return err
	}
	text, from := x.protocol, "--protocol"
	if text == "" && (byVariables.server == "" || profile.SameServer(byVariables.server, target.Server)) {
		text, from = x.variable(command.VariableProtocol), command.VariableProtocol
	}
	if text == "" {
		return nil
	}
	protocol, ok := client.ParseProtocol(text)
	if !ok {
		return command.Usage("%s must be one of %s", from, strings.Join(protocolNames(), ", "))
	}
	target.Protocol = protocol
	return nil
}

// authenticate adds the token for the server: HUSH_TOKEN if it is for that server,
// else that of its profile.
func (x *Choice) authenticate(ctx context.Context, profiles *profile.Profiles, target *Target) error {
	if token := x.variable(command.VariableToken); token != "" {
		owner, err := x.tokenServer(profiles)
		if err != nil {
			return err
		}
		if profile.SameServer(owner, target.Server) {
			target.Token, target.TokenFrom = client.Hide(token), command.VariableToken
			return nil
		}
	}
	one, ok := profiles.Find(target.Profile)
	if !ok || one.Token == profile.PlaceNone {
		return nil
	}
	token, err := x.store.Token(ctx, one)
	if err != nil {
		return err
	}
	target.Token, target.TokenFrom = token, string(one.Token)
	return nil
}

// tokenServer returns the server that HUSH_TOKEN is for: that of the variables, or,
// if they name none, the one that the command chooses without a link.
func (x *Choice) tokenServer(profiles *profile.Profiles) (string, error) {
	owner, err := x.byVariables(profiles)
	if err == nil && owner.server == "" {
		owner, err = x.chosen(profiles)
	}
	return owner.server, err
}

// variable returns the value of a variable; empty if it is not set.
func (x *Choice) variable(name string) (value string) {
	for _, entry := range x.environment {
		if text, ok := strings.CutPrefix(entry, name+"="); ok {
			value = strings.TrimSpace(text)
		}
	}
	return value
}
