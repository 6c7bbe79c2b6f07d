package booted_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage/postgres/postgrestest"
)

// What a connection reads is replaced while the node runs in its sandbox, and
// counts from the next connection on: here the file that says where the database
// is. Elsewhere it would be the certificate of a client, or a password.
func TestNodeReadsReplacedFilesInItsSandbox(t *testing.T) {
	t.Parallel()
	needLandlock(t)
	server := servertest.NeedPostgres(t)
	name := servertest.DatabaseName(t, servertest.NewDatabase(t))
	proxy, err := postgrestest.StartProxy(server, func(int) int { return 1 })
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	u, err := url.Parse(proxy.URL(name))
	if err != nil {
		t.Fatal(err)
	}
	services := filepath.Join(t.TempDir(), "services")
	replace := func(where string) {
		t.Helper()
		err := os.WriteFile(services+".new", []byte("[hush]\nuser=hush\n"+where), 0o600)
		if err = errors.Join(err, os.Rename(services+".new", services)); err != nil {
			t.Fatal(err)
		}
	}
	replace("host=" + u.Hostname() + "\nport=" + u.Port() + "\nsslmode=disable\n")
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--sandbox=on",
		"--store=postgres:///"+name+"?service=hush&servicefile="+services)
	d := servertest.Drivers(t, p.Server, nil)[0]
	kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})

	replace("host=" + server.Folder() + "\n")
	proxy.Refuse(true)
	proxy.Cut()
	client := servertest.HTTPClient(t, false, nil)
	servertest.WaitUntil(t, "the node to reach the database elsewhere", func() bool {
		return apitest.Send(t, client, http.MethodPost, p.URL+"/api/v1/private/"+kept.MetadataKey, nil, "").Status == http.StatusOK
	})
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after the move", "kept")
}
