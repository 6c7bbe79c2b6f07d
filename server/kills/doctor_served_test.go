package kills_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/cmd/hush/program"
	"hush/routes/apitest"
	"hush/server/datafolder"
	"hush/server/servertest"
	"hush/testtier"
)

// A service that runs examines itself, and goes on serving. What is not examined then
// is named.
func TestDoctorBesideService(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	s := servertest.Start(t, servertest.InFolder)
	d := servertest.Drivers(t, s, nil)[0]
	kept, opened := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"}), apitest.MustConceal(t, d, apitest.Terms{Secret: "opened"})
	d.Reveal(t.Context(), opened.SecretKey, "").WantValue(t, "reveal before the examination", "opened")
	found := examine(t, command.ExitOK, "--data", s.Data)
	if found.Rows == 0 || len(found.Findings) > 0 {
		t.Errorf("hush admin doctor beside a service: got %+v, want rows and no finding", found)
	}
	if len(found.Skipped) != 1 || !strings.HasPrefix(found.Skipped[0], "the pages of hush.db, and slots") {
		t.Errorf("hush admin doctor beside a service: got %q skipped, want the pages and the unused slots", found.Skipped)
	}
	servertest.Call(t, nil, "", "admin", "doctor", "--data", s.Data).Want(t, "admin doctor", command.ExitOK)
	d.Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal after the examination", "kept")
	for _, line := range []string{"examining the data for the operator", `examined the data for the operator" rows=`} {
		if !strings.Contains(s.Log.String(), line) {
			t.Errorf("serve: got no %q in its log, want it", line)
		}
	}
	if err := os.Chmod(filepath.Join(s.Data, datafolder.SharesName), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := examine(t, command.ExitFailure, "--data", s.Data); got.Errors != 1 || got.Findings[0].Code != "file-mode" {
		t.Errorf("hush admin doctor beside a service with a file for everyone: got %+v, want its mode", got)
	}
}

// The root key of a service may be where only the service gets it.
func TestDoctorBesideServiceWithKeyElsewhere(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	key := servertest.NodeKey(t)
	s := servertest.Start(t, servertest.InFolder, "--root-key-file", key)
	if found := examine(t, command.ExitOK, "--data", s.Data); len(found.Findings) > 0 || !slices.ContainsFunc(found.Skipped, func(text string) bool {
		return strings.Contains(text, "--root-key-file")
	}) {
		t.Errorf("hush admin doctor without the file of the key: got %+v, want it named as not examined", found)
	}
	if found := examine(t, command.ExitOK, "--data", s.Data, "--root-key-file", key); len(found.Findings) > 0 || len(found.Skipped) != 1 {
		t.Errorf("hush admin doctor with the file of the key: got %+v, want nothing more than the pages left out", found)
	}
}

// The service of a folder may keep its data in a database, which is examined beside it.
func TestDoctorOfNode(t *testing.T) {
	t.Parallel()
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	s := servertest.Start(t, "--store", store, "--root-key-file", key)
	servertest.Call(t, nil, "", "admin", "doctor", "--data", s.Data, "--root-key-file", key).
		Want(t, "admin doctor", command.ExitUnable, "the data of this service is not in the folder: name the database with --store")
	if found := examine(t, command.ExitOK, "--store", store, "--root-key-file", key); found.Rows == 0 || found.Errors > 0 {
		t.Errorf("hush admin doctor beside a node: got %+v, want rows and no error", found)
	}
}

// A service of an older release does not know the call.
func TestDoctorBesideOlderService(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	folder := servertest.NewFolder(t)
	listener, err := datafolder.ListenAdmin(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	older := &http.Server{Handler: http.NotFoundHandler()}
	go func() { _ = older.Serve(listener) }()
	defer older.Close()
	servertest.Call(t, nil, "", "admin", "doctor", "--data", folder).
		Want(t, "admin doctor", command.ExitUnable, "the service is of an older release, which examines nothing while it runs")
}

// Ctrl-C ends the command, also while another one examines.
func TestDoctorInterrupted(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	s := servertest.Start(t, servertest.InFolder)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, told bytes.Buffer
	code := program.Run(ctx, []string{"admin", "doctor", "--data", s.Data}, nil, strings.NewReader(""), &out, &told)
	if code == command.ExitOK || out.Len() > 0 || !strings.Contains(told.String(), "interrupted") {
		t.Errorf("hush admin doctor, interrupted: got code %d, %q and %q, want it interrupted", code, out.String(), told.String())
	}
}

// The service of a data folder serves every kind of call while it examines itself, again
// and again. Nothing is found.
func TestDoctorBesideBusyService(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "loads a service while it is examined")
	servertest.RunOnce(t, "a data folder")
	env := servertest.NewEnv(t)
	folder := env.CopyTo(t)
	b := newBustle(t, env)
	_, s := startBustle(t, servertest.Build(t), folder, b)
	b.everything(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.run(ctx, s, 12)
	}()
	for n := range *doctorRuns {
		found := examine(t, command.ExitOK, "--data", folder)
		for _, f := range found.Findings {
			if f.Level == "info" { // a secret has just expired
				continue
			}
			t.Errorf("run %d: got %+v, want no finding", n+1, f)
		}
		t.Logf("run %d: %d rows", n+1, found.Rows)
	}
	cancel()
	<-ended
	t.Logf("%d calls", b.done.Load())
}
