package program

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestWriteVersion(t *testing.T) {
	t.Parallel()
	stamp := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{
			{Key: "CGO_ENABLED", Value: "0"}, {Key: "vcs.revision", Value: "4d2a"},
			{Key: "vcs.time", Value: "2026-11-22T19:53:24Z"}, {Key: "vcs.modified", Value: modified},
		}}
	}
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"a commit":       {stamp("false"), version + "\ncommit 4d2a\ndate 2026-11-22T19:53:24Z\n"},
		"a changed tree": {stamp("true"), version + "\ncommit 4d2a with changes\ndate 2026-11-22T19:53:24Z\n"},
		"no clone":       {&debug.BuildInfo{}, version + "\n"},
		"no information": {nil, version + "\n"},
	} {
		var out strings.Builder
		if err := writeVersion(&out, test.info); err != nil || out.String() != test.want {
			t.Errorf("writeVersion(%s): got %q and %v, want %q", name, out.String(), err, test.want)
		}
	}
}
