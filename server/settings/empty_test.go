package settings

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A variable that was forgotten is empty. It must not serve an empty local folder
// instead of the database, nor let everyone in; elsewhere it counts as not set, so that
// the file has its say, and is named once.
func TestEmptyValues(t *testing.T) {
	t.Parallel()
	for _, name := range needingValue() {
		if !slices.Contains(Names(), name) {
			t.Errorf("needingValue: got %s, which is no setting", name)
		}
	}
	for _, name := range []string{
		"config", "store", "data", "root-key-file", "smtp-password-file", "base-url", "tls-cert", "tls-key",
		"trusted-proxies", "sign-up", "sign-up-domains", "spent-log", "sandbox",
	} {
		if !needsValue(name) {
			t.Errorf("needsValue(%s): got false, want it refused where it is empty", name)
		}
	}
	for _, name := range Names() {
		variable := Variable(name)
		_, err := parse([]string{variable + "="})
		if got := err != nil; got != needsValue(name) {
			t.Errorf("%s=: got %v, want an error %t", variable, err, needsValue(name))
		}
		if err != nil && !strings.Contains(err.Error(), variable+": must not be empty") {
			t.Errorf("%s=: got %v, want the name of the variable in it", variable, err)
		}
	}
	for content, want := range map[string]string{
		"store: ''":                  ":1: store: must not be empty",
		"sign-up-domains: []":        ":1: sign-up-domains: must not be empty",
		"trusted-proxies: ['', ' ']": ":1: trusted-proxies: must not be empty",
		"base-url: ' '":              ":1: base-url: must not be empty",
		"banner: ''\ncolonel: []":    "",
	} {
		_, err := parse(nil, "--config", writeConfig(t, content))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("file %q: got %v, want %q", content, err, want)
		}
	}
}

// What has only commas is never meant, wherever it stands.
func TestListsOfNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"trusted-proxies", "cors-origins", "colonel", "sign-up-domains", "backup-recipient"} {
		_, flag := parse(nil, "--"+name, ", ,")
		_, variable := parse([]string{Variable(name) + "=, ,"})
		_, file := parse(nil, "--config", writeConfig(t, name+": [',']"))
		for how, err := range map[string]error{"flag": flag, "variable": variable, "file": file} {
			if err == nil || !strings.Contains(err.Error(), "must ") {
				t.Errorf("%s with only commas as %s: got %v, want a refusal", name, how, err)
			}
		}
	}
}

func TestEmptyValuesCountAsNotSet(t *testing.T) {
	t.Parallel()
	c := &cobra.Command{}
	s := Add(c, Names()...)
	path := writeConfig(t, "listen: ':80'\nbanner: ''\n")
	if err := c.ParseFlags([]string{"--config", path}); err != nil {
		t.Fatal(err)
	}
	warnings, err := NewReader([]string{"HUSH_LISTEN=", "HUSH_LOG_LEVEL="}).Apply(t.Context(), c.Flags())
	want := []string{"HUSH_LISTEN", "HUSH_LOG_LEVEL", path + ":2: banner"}
	for i, source := range want {
		want[i] = source + " is empty, which counts as not set"
	}
	slices.Sort(want)
	if err != nil || s.Listen != ":80" || s.LogLevel != "info" || !slices.Equal(warnings, want) {
		t.Errorf("Apply(): got %q and the level %q, %v, %q, want :80, info and %q", s.Listen, s.LogLevel, err, warnings, want)
	}
}
