package postgres_test

import (
	"errors"
	"fmt"
	"testing"

	"hush/storage"
	"hush/storage/postgres"
)

// A share that is damaged in the database is gone: nothing takes other bytes
// for it.
func TestDamagedShare(t *testing.T) {
	server, name := need(t), schema(t)
	_, shares := open(t, server, postgres.Options{Schema: name})
	want := [storage.ShareSize]byte{1, 2, 3}
	slot, err := shares.Put(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []string{
		"set_byte(share, 0, get_byte(share, 0) # 1)",
		"set_byte(share, 35, get_byte(share, 35) # 128)",
		"substr(share, 1, 32)",
		"''",
	} {
		mustExec(t, server.URL("postgres"), `CREATE TABLE "`+name+`".kept AS TABLE "`+name+`".share`)
		mustExec(t, server.URL("postgres"), fmt.Sprintf(`UPDATE "%s".share SET share = %s`, name, damage))
		if got, err := shares.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) || got != [storage.ShareSize]byte{} {
			t.Errorf("Get(share with %s): got %x, %v, want %v", damage, got, err, storage.ErrShareGone)
		}
		mustExec(t, server.URL("postgres"), `UPDATE "`+name+`".share s SET share = k.share FROM "`+name+`".kept k WHERE k.number = s.number`)
		mustExec(t, server.URL("postgres"), `DROP TABLE "`+name+`".kept`)
	}
	if got, err := shares.Get(t.Context(), slot); err != nil || got != want {
		t.Errorf("Get(share as it was): got %x, %v, want %x", got, err, want)
	}
}
