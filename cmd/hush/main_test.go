package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hush/cmd/hush/program"
	"hush/server/servertest"
)

func TestMain(m *testing.M) {
	servertest.AsProgramIfTold()
	testscript.Main(servertest.Tests{M: m}, map[string]func(){
		// Who runs the tests on a terminal is not asked.
		"hush": func() {
			forgetUnset()
			program.MainOn(nil)
		},
	})
}

// forgetUnset removes the variables that a script gave the value "unset": the language of
// scripts can only empty them, and an empty one may be a mistake.
func forgetUnset() {
	for _, entry := range os.Environ() {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "HUSH_") && value == "unset" {
			_ = os.Unsetenv(name)
		}
	}
}
