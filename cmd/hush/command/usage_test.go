package command

import "testing"

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
