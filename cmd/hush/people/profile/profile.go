// Package profile keeps the servers that a user calls, and the API tokens for them,
// between two commands.
//
// The profiles are in profiles.yaml in the user's folder of configuration. Tokens
// are in the keyring of the system, or in credentials.yaml beside the profiles where
// there is none. A token is kept together with the server that it is for, and is
// returned for that server only: a profile that was edited to name another server
// has no token any more.
//
// Files are replaced as a whole, one writer at a time. A file that cannot be read is
// an error, and is never overwritten.
package profile

import (
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"slices"

	"hush/client"
)

// Default is the name of the first profile, unless the user names it.
const Default = "default"

// Place is where the token of a profile is kept.
type Place string

// The places.
const (
	PlaceNone    Place = ""
	PlaceKeyring Place = "keyring"
	PlaceFile    Place = "file"
)

// Profile is a server, how to call it, and where the token for it is.
type Profile struct {
	Name string
	// Server is the base URL, as client.ParseServer returns it.
	Server   string
	Protocol client.Protocol
	// Username is the e-mail address of the account, which v1 and v2 need beside
	// the token.
	Username string
	Token    Place
	// CAFile is the path of certificates to trust besides those of the system; empty
	// for none.
	CAFile string
}

// Profiles are all profiles of a user. The zero value has none.
type Profiles struct {
	// Current is the name of the profile that commands use; empty for none.
	Current string
	// All are the profiles by their names.
	All []Profile
}

// namePattern is a name that needs no quotes in a shell and is no flag.
var namePattern = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$`)

// CheckName returns an error for a text that cannot be the name of a profile.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return errors.New("the name of a profile has up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or a digit")
	}
	return nil
}

// Find returns the profile of a name.
func (p *Profiles) Find(name string) (Profile, bool) {
	if at := p.index(name); at >= 0 {
		return p.All[at], true
	}
	return Profile{}, false
}

// Names returns the names of all profiles.
func (p *Profiles) Names() []string {
	names := make([]string, len(p.All))
	for i, one := range p.All {
		names[i] = one.Name
	}
	return names
}

// OfServer returns the profiles of a server, the current one first.
func (p *Profiles) OfServer(server string) (found []Profile) {
	for _, one := range p.All {
		switch {
		case !SameServer(one.Server, server):
		case one.Name == p.Current:
			found = slices.Insert(found, 0, one)
		default:
			found = append(found, one)
		}
	}
	return found
}

// Put adds a profile, or replaces that of the same name. The first one becomes the
// current one.
func (p *Profiles) Put(one Profile) {
	if at := p.index(one.Name); at >= 0 {
		p.All[at] = one
		return
	}
	p.All = append(p.All, one)
	slices.SortFunc(p.All, func(a, b Profile) int { return cmp.Compare(a.Name, b.Name) })
	p.Current = cmp.Or(p.Current, one.Name)
}

// Remove removes the profile of a name. If it was the current one there is none
// afterwards, unless only one is left.
func (p *Profiles) Remove(name string) {
	p.All = slices.DeleteFunc(p.All, func(one Profile) bool { return one.Name == name })
	if p.Current != name {
		return
	}
	p.Current = ""
	if len(p.All) == 1 {
		p.Current = p.All[0].Name
	}
}

func (p *Profiles) index(name string) int {
	return slices.IndexFunc(p.All, func(one Profile) bool { return one.Name == name })
}

// SameServer reports whether two base URLs have the same scheme, host, port and
// path. A text that is no base URL is the same as none.
func SameServer(a, b string) bool {
	first, errA := client.ParseServer(a)
	second, errB := client.ParseServer(b)
	return errA == nil && errB == nil && first.Scheme == second.Scheme && first.Hostname() == second.Hostname() &&
		port(first) == port(second) && first.Path == second.Path
}

func port(server *url.URL) string {
	if server.Port() == "" && server.Scheme == "https" {
		return "443"
	}
	return cmp.Or(server.Port(), "80")
}
