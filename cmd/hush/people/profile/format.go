package profile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"hush/client"
)

// The versions of the files. A program refuses a later one. profiles.yaml has the second
// one where a profile has a file of certificates, which the first does not know.
const (
	formatVersion   = 1
	formatOfCAFiles = 2
)

const (
	profilesHead    = "# Written by \"hush login\" and \"hush profile\". Tokens are not kept in this file.\n"
	credentialsHead = "# Written by \"hush login\". Anyone who has a token can use the account: keep this file to yourself.\n"
)

// profilesFile is profiles.yaml:
//
//	version: 1
//	current: default
//	profiles:
//	  - name: default
//	    server: https://hush.example
//	    protocol: hush              # or v2, or v1
//	    username: you@example.com   # v1 and v2
//	    token: keyring              # or file; left out where there is none
//	    ca_file: /etc/ssl/ours.pem  # version 2; left out where there is none
type profilesFile struct {
	Version  int            `yaml:"version"`
	Current  string         `yaml:"current,omitempty"`
	Profiles []profileEntry `yaml:"profiles"`
}

type profileEntry struct {
	Name     string `yaml:"name"`
	Server   string `yaml:"server"`
	Protocol string `yaml:"protocol"`
	Username string `yaml:"username,omitempty"`
	Token    Place  `yaml:"token,omitempty"`
	CAFile   string `yaml:"ca_file,omitempty"`
}

// credentialsFile is credentials.yaml:
//
//	version: 1
//	tokens:
//	  - name: default
//	    server: https://hush.example
//	    token: …
type credentialsFile struct {
	Version int          `yaml:"version"`
	Tokens  []tokenEntry `yaml:"tokens"`
}

type tokenEntry struct {
	Name   string `yaml:"name"`
	Server string `yaml:"server"`
	Token  string `yaml:"token"`
}

// encodeProfiles returns the content of profiles.yaml.
func encodeProfiles(p *Profiles) ([]byte, error) {
	file := profilesFile{Version: formatVersion, Current: p.Current}
	for _, one := range p.All {
		if one.CAFile != "" {
			file.Version = formatOfCAFiles
		}
		file.Profiles = append(file.Profiles, profileEntry{
			Name: one.Name, Server: one.Server, Protocol: one.Protocol.String(), Username: one.Username, Token: one.Token, CAFile: one.CAFile,
		})
	}
	return encode(profilesHead, file)
}

// decodeProfiles is the inverse of encodeProfiles.
func decodeProfiles(content []byte) (*Profiles, error) {
	var file profilesFile
	if err := decode(content, &file, &file.Version, formatOfCAFiles); err != nil {
		return nil, err
	}
	p := &Profiles{}
	for _, entry := range file.Profiles {
		one, err := entry.profile()
		if err != nil {
			return nil, err
		}
		if p.index(one.Name) >= 0 {
			return nil, fmt.Errorf("the profile %s is in it twice", one.Name)
		}
		p.Put(one)
	}
	if _, ok := p.Find(file.Current); !ok && file.Current != "" {
		return nil, fmt.Errorf("current names the profile %q, which is not in it", file.Current)
	}
	p.Current = file.Current
	return p, nil
}

// profile checks an entry. What is in the file may be a token that was pasted into
// the wrong line, so that errors do not repeat values.
func (e profileEntry) profile() (Profile, error) {
	if err := CheckName(e.Name); err != nil {
		return Profile{}, err
	}
	server, err := client.ParseServer(e.Server)
	if err != nil {
		return Profile{}, fmt.Errorf("profile %s: %w", e.Name, err)
	}
	protocol, ok := client.ParseProtocol(e.Protocol)
	if !ok {
		return Profile{}, fmt.Errorf("profile %s: protocol must be hush, v2 or v1", e.Name)
	}
	if !slices.Contains([]Place{PlaceNone, PlaceKeyring, PlaceFile}, e.Token) {
		return Profile{}, fmt.Errorf("profile %s: token must be keyring or file, or be left out", e.Name)
	}
	if e.CAFile != "" && !filepath.IsAbs(e.CAFile) {
		return Profile{}, fmt.Errorf("profile %s: ca_file must be a path from the root, or be left out", e.Name)
	}
	return Profile{Name: e.Name, Server: server.String(), Protocol: protocol, Username: e.Username, Token: e.Token, CAFile: e.CAFile}, nil
}

func encode(head string, file any) ([]byte, error) {
	content := bytes.NewBufferString(head)
	encoder := yaml.NewEncoder(content)
	encoder.SetIndent(2)
	if err := encoder.Encode(file); err != nil {
		return nil, err
	}
	return content.Bytes(), encoder.Close()
}

// lineOf finds the line in an error of package yaml. The rest of such an error may
// repeat what is in the file, and that may be a token.
var lineOf = regexp.MustCompile(`line [0-9]+`)

// decode reads a file with no other keys than those of its type: what is not known
// would be lost when the file is written. An empty file is like none. latest is the last
// version that this program knows.
func decode(content []byte, file any, version *int, latest int) error {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	err := decoder.Decode(file)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case *version > latest:
		return errors.New("a later release wrote it: update hush")
	case err != nil:
		return fmt.Errorf("%s is not as hush writes it", cmp.Or(lineOf.FindString(err.Error()), "it"))
	case *version < formatVersion:
		return errors.New("it must begin with \"version: 1\"")
	}
	return nil
}
