package password

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
)

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		password string
		ok       bool
	}{
		"empty":                          {"", false},
		"9 characters":                   {"fjord9wax", false},
		"9 characters of 18 bytes":       {"äöüßéàçñø", false},
		"10 characters":                  {"fjord9waxy", true},
		"10 characters of 20 bytes":      {"äöüßéàçñøå", true},
		"72 bytes":                       {strings.Repeat("waxy fjord 9", 6), true},
		"73 bytes":                       {strings.Repeat("waxy fjord 9", 6) + "!", true},
		"256 bytes":                      {"x" + strings.Repeat("waxy fjord 9 lot", 15) + "waxy fjord 9 lo", true},
		"257 bytes":                      {"x" + strings.Repeat("waxy fjord 9 lot", 16), false},
		"NUL":                            {"fjord\x00waxy", true},
		"NULs alone":                     {strings.Repeat("\x00", 12), false},
		"spaces around":                  {"  fjord9waxy  ", true},
		"not UTF-8":                      {"fjord9wax\xff", true},
		"common":                         {"password123", false},
		"common in other case":           {"PassWord123", false},
		"common in another script":       {"Contraseña", false},
		"common with something":          {"password123 fjord", true},
		"one character":                  {"aaaaaaaaaaaa", false},
		"one character of several bytes": {"ééééééééééé", false},
		"two characters":                 {"ababababababa", false},
		"three characters in other case": {"abCAbcaBcabc", false},
		"four characters":                {"fjorfjorfjor", true},
		"digits":                         {"1234567890", false},
		"digits past the end":            {"67890123456", false},
		"digits back":                    {"0987654321", false},
		"alphabet":                       {"HIJKLMNOPQR", false},
		"alphabet back":                  {"zyxwvutsrqp", false},
		"keyboard":                       {"QwertyUiop", false},
		"rows of the keyboard":           {"qwertyuiopasdf", false},
		"German keyboard":                {"qwertzuiop", false},
		"French keyboard":                {"azertyuiop", false},
		"columns of the keyboard":        {"1qaz2wsx3edc", false},
		"digits with something":          {"1234567890 fjord", true},
	}
	for name, test := range tests {
		err := checkPassword("password", caller.Text(test.password))
		if test.ok != (err == nil) || err != nil && !errors.Is(err, refusal.ErrInvalid) {
			t.Errorf("checkPassword(%s): got %v, want ok %t", name, err, test.ok)
		}
	}
}

func TestCheckPasswordOf(t *testing.T) {
	t.Parallel()
	const address = "fjord-waxy@example.com"
	for password, ok := range map[string]bool{
		"fjord-waxy": false, "FJORD-waxy": false, "Fjord-waxy@Example.com": false,
		"fjord-waxy@": true, "fjord-waxy1": true, "example.com": true, "short": false,
	} {
		if err := Check("password", caller.Text(password), address); ok != (err == nil) {
			t.Errorf("Check(%q, %s): got %v, want ok %t", password, address, err, ok)
		}
	}
	if err := Check("password", "fjord9waxy", ""); err != nil {
		t.Errorf("Check(password, no address): got %v, want nil", err)
	}
}

// Nothing is cut off before it is hashed: passwords that differ in their last
// byte, or behind a NUL, are different passwords.
func TestPasswordsAreHashedWhole(t *testing.T) {
	t.Parallel()
	params := seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1}
	keys, long := seal.NewKeys(seal.NewRootKey()), strings.Repeat("waxy fjord 9", 6)
	for _, pair := range [][2]string{
		{long, long + "!"}, {long + "!", long + "?"}, {"fjord\x00waxy", "fjord\x00waxe"}, {"fjord9waxy", "fjord9waxy "}, {"fjord9waxy", "Fjord9waxy"},
	} {
		stored, kid := keys.PasswordVerifier(params.Hash(pair[1]))
		if keys.PasswordMatches(params.Hash(pair[0]), stored, kid) {
			t.Errorf("Matches(%q, %q): got true, want false", pair[0], pair[1])
		}
	}
}

// The list is searched by halves, and compared with what was folded.
func TestCommonPasswordsAreInOrder(t *testing.T) {
	t.Parallel()
	list := strings.Fields(commonPasswords)
	if len(list) < 300 {
		t.Errorf("common passwords: got %d, want at least 300", len(list))
	}
	if !slices.IsSorted(list) {
		t.Error("common passwords: got them in no order, want them sorted")
	}
	for _, password := range list {
		if password != strings.ToLower(password) || utf8.RuneCountInString(password) < Min {
			t.Errorf("common password %q: want lower case and at least %d characters", password, Min)
		}
	}
	if n := len(slices.Compact(slices.Clone(list))); n != len(list) {
		t.Errorf("common passwords: got %d of them twice, want none", len(list)-n)
	}
}
