package command

import "testing"

func TestDistance(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]int{
		{"", ""}:             0,
		{"", "json"}:         4,
		{"json", "json"}:     0,
		{"jsno", "json"}:     2,
		{"lisen", "listen"}:  1,
		{"listten", "lisen"}: 2,
		{"data", "role"}:     4,
	} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("distance(%q, %q): got %d, want %d", pair[0], pair[1], got, want)
		}
	}
}
