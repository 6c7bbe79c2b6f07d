package command

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]int{
		{"", ""}:             0,
		{"", "json"}:         4,
		{"json", "json"}:     0,
		{"jsno", "json"}:     1,
		{"shrae", "share"}:   1,
		{"shrae", "serve"}:   2,
		{"ca", "abc"}:        3,
		{"lisen", "listen"}:  1,
		{"listten", "lisen"}: 2,
		{"data", "role"}:     4,
	} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("distance(%q, %q): got %d, want %d", pair[0], pair[1], got, want)
		}
	}
}

// What is quoted may be a URL whose password has any character.
func TestUsageHidesPasswords(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:heim@h/d", "postgres://u:a heim@h/d", "postgres://u:a/heim@h/d", "postgres://u:a@heim@h/d", `postgres://u:a"heim@h/d`} {
		if got := Usage("unexpected argument %q", url).Error(); got != `unexpected argument "postgres://…@h/d"` {
			t.Errorf("Usage(%q): got %s, want it without user and password", url, got)
		}
	}
}

// An empty argument, as of a variable that is not set, would count as none: an invite for
// anyone, the domains of all.
func TestTakesNoEmptyArgument(t *testing.T) {
	t.Parallel()
	const why = " is empty, as of a variable that is not set: give it a value, or leave it out"
	for _, c := range []struct {
		use         string
		least, most int
		args        []string
		want        string
	}{
		{"create [ADDRESS]", 0, 1, nil, ""},
		{"create [ADDRESS]", 0, 1, []string{"a@example.com"}, ""},
		{"create [ADDRESS]", 0, 1, []string{""}, "ADDRESS" + why},
		{"revoke ADDRESS ID|NAME", 2, 2, []string{"a@example.com", ""}, "ID or NAME" + why},
		{"backup [-o FILE|-]", 0, 1, []string{""}, "an argument" + why},
		{"keys", 0, 0, []string{""}, `unexpected argument ""`},
		{"revoke ID", 1, 1, nil, "ID is missing"},
	} {
		err := Takes(c.least, c.most)(&cobra.Command{Use: c.use}, c.args)
		if got := ""; err != nil && err.Error() != c.want || err == nil && c.want != got {
			t.Errorf("Takes(%d, %d) of %s, %q: got %v, want %q", c.least, c.most, c.use, c.args, err, c.want)
		}
	}
}
