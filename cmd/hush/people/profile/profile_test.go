package profile

import (
	"slices"
	"strings"
	"testing"

	"hush/client"
)

func TestSameServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example", "https://A.example/", true},
		{"https://a.example", "https://a.example:443", true},
		{"http://a.example:80", "http://a.example", true},
		{"a.example", "https://a.example", true},
		{"localhost:7143", "http://localhost:7143", true},
		{"https://a.example/base", "https://a.example/base/", true},
		{"https://a.example", "http://a.example", false},
		{"https://a.example", "https://a.example:8443", false},
		{"https://a.example", "https://a.example.evil.example", false},
		{"https://a.example/base", "https://a.example", false},
		{"https://a.example/base", "https://a.example/Base", false},
		{"http://a.example:443", "https://a.example", false},
		{"", "", false},
		{"https://u@a.example", "https://u@a.example", false},
	} {
		if got := SameServer(c.a, c.b); got != c.want {
			t.Errorf("SameServer(%q, %q): got %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

func TestProfilesChange(t *testing.T) {
	t.Parallel()
	var p Profiles
	p.Put(Profile{Name: "b", Server: "https://x.example"})
	p.Put(Profile{Name: "c", Server: "https://x.example"})
	p.Put(Profile{Name: "a", Server: "https://x.example/"})
	p.Put(Profile{Name: "d", Server: "https://y.example"})
	if got := p.Names(); !slices.Equal(got, []string{"a", "b", "c", "d"}) || p.Current != "b" {
		t.Errorf("Put: got %q and %q in use, want them by name and the first one in use", got, p.Current)
	}
	var of []string
	for _, one := range p.OfServer("https://x.example") {
		of = append(of, one.Name)
	}
	if !slices.Equal(of, []string{"b", "a", "c"}) {
		t.Errorf("OfServer: got %q, want the one in use first", of)
	}
	p.Remove("b")
	if p.Current != "" {
		t.Errorf("Remove of the one in use: got %q in use, want none: no one chose it", p.Current)
	}
	p.Remove("a")
	p.Current = "d"
	p.Remove("d")
	if p.Current != "c" {
		t.Errorf("Remove of the last but one: got %q in use, want the last", p.Current)
	}
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"default": true, "hush.example-7143": true, "A_b": true, "7": true,
		"": false, "-a": false, ".a": false, "a b": false, "a/b": false, "é": false, "a\n": false, "a:b": false,
	} {
		if got := CheckName(name) == nil; got != want {
			t.Errorf("CheckName(%q): got %t, want %t", name, got, want)
		}
	}
}

func TestFolderOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		environment []string
		want        string
	}{
		{nil, ""},
		{[]string{"HOME=relative"}, ""},
		{[]string{"HOME=/home/a"}, "/home/a/.config/hush"},
		{[]string{"HOME=/home/a", "XDG_CONFIG_HOME=/config"}, "/config/hush"},
		{[]string{"HOME=/home/a", "XDG_CONFIG_HOME=config"}, "/home/a/.config/hush"},
		{[]string{"HOME=/home/a", "XDG_CONFIG_HOME="}, "/home/a/.config/hush"},
		{[]string{"HOME=/home/a", "HOME=/home/b"}, "/home/b/.config/hush"},
	} {
		if got := folderOf(c.environment); got != c.want {
			t.Errorf("folderOf(%q): got %q, want %q", c.environment, got, c.want)
		}
	}
}

func FuzzProfiles(f *testing.F) {
	f.Add([]byte("version: 1\ncurrent: a\nprofiles:\n  - name: a\n    server: https://a.example\n    protocol: v1\n    username: me@a.example\n    token: file\n"))
	f.Add([]byte("version: 1\nprofiles: []\n"))
	f.Add([]byte("version: 2\nprofiles:\n  - name: a\n    server: https://a.example\n    protocol: hush\n    ca_file: /ca.pem\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		first, err := decodeProfiles(content)
		if err != nil {
			return
		}
		again, err := encodeProfiles(first)
		if err != nil {
			t.Fatalf("encodeProfiles: got %v, want no error", err)
		}
		second, err := decodeProfiles(again)
		if err != nil || second.Current != first.Current || !slices.Equal(second.All, first.All) {
			t.Errorf("decodeProfiles of %s: got %+v and %v, want %+v", again, second, err, first)
		}
		for _, one := range first.All {
			if _, err := client.ParseServer(one.Server); err != nil {
				t.Errorf("decodeProfiles: got the server %q, want a base URL", one.Server)
			}
		}
	})
}

// A release that knows no file of certificates must not drop it when it writes the file:
// it refuses the version.
func TestVersionOfCAFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"": "version: 1\n", "/ca.pem": "version: 2\n"} {
		p := &Profiles{}
		p.Put(Profile{Name: "default", Server: "https://a.example", CAFile: file})
		content, err := encodeProfiles(p)
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("encodeProfiles(ca file %q): got %s, %v, want %q in it", file, content, err, want)
		}
		if got, err := decodeProfiles(content); err != nil || !slices.Equal(got.All, p.All) {
			t.Errorf("decodeProfiles(encodeProfiles(ca file %q)): got %+v, %v, want %+v", file, got, err, p)
		}
	}
	if _, err := decodeProfiles([]byte("version: 2\nprofiles:\n  - {name: a, server: https://a.example, protocol: hush, ca_file: ca.pem}\n")); err == nil {
		t.Error("decodeProfiles(a relative ca_file): got no error, want one")
	}
}
