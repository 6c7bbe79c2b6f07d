package admin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"hush/cli/command"
	testnamev1 "hush/gen/testname/v1"
	"hush/gen/testname/v1/testnamev1connect"
	"hush/server/servertest"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	data := servertest.NewFolder(t)
	place := func(stdin string, args ...string) servertest.Result {
		return servertest.Call(t, nil, stdin, append([]string{"admin", "place", args[0], "--data", data}, args[1:]...)...)
	}
	place("name,latitude,altitude\nBerlin,1.5,2\n Nowhere ,-10.25,-3\n", "import", "-").
		Want(t, "admin place import", command.ExitOK, "created a root key", "imported 2 places")
	place("\ufeffAltitude,Name,Latitude\n7,NOWHERE,8\n", "import", "-").Want(t, "admin place import", command.ExitOK, "imported 1 place")
	got := place("", "list").Want(t, "admin place list", command.ExitOK)
	for _, want := range []string{"NAME", "Berlin", "1.5", "NOWHERE", "imported", "built in"} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("hush admin place list: got %s, want %s in it", got.Stdout, want)
		}
	}
	if strings.Contains(got.Stdout, "Nowhere") || strings.Count(got.Stdout, "Berlin") != 1 {
		t.Errorf("hush admin place list: got %s, want each place once", got.Stdout)
	}
	s := servertest.StartOn(t, data)
	wantPlace(t, s, " berlin\t", 1.5, 2)
	wantPlace(t, s, "nOwHeRe", 8, 7)
	wantPlace(t, s, "ZÜRICH", 47.38, 408)
	wantNoPlace(t, s, "Atlantis", connect.CodeNotFound)
	wantNoPlace(t, s, "", connect.CodeInvalidArgument)
	s.Stop(t)

	place("", "remove", "  BERLIN ").Want(t, "admin place remove", command.ExitOK)
	place("", "remove", "Berlin").Want(t, "admin place remove", command.ExitFailure, `no imported place is called "Berlin"`)
	place("", "remove", "Zürich").Want(t, "admin place remove", command.ExitFailure, `no imported place is called "Zürich"`)
	place("name,latitude,altitude\nElsewhere,0,0\n", "import", "--replace", "-").Want(t, "admin place import --replace", command.ExitOK)
	s = servertest.StartOn(t, data)
	wantPlace(t, s, "Berlin", 52.52, 34)
	wantPlace(t, s, "elsewhere", 0, 0)
	wantNoPlace(t, s, "Nowhere", connect.CodeNotFound)
}

func wantPlace(t *testing.T, s *servertest.Server, name string, latitude, altitude float64) {
	t.Helper()
	client := testnamev1connect.NewTestNameClient(servertest.HTTPClient(t, false, nil), s.URL)
	got, err := client.Lookup(t.Context(), &testnamev1.LookupRequest{Name: name})
	if err != nil || got.GetLatitude() != latitude || got.GetAltitude() != altitude {
		t.Errorf("Lookup(%q): got %v %v, want %g and %g", name, got, err, latitude, altitude)
	}
}

func wantNoPlace(t *testing.T, s *servertest.Server, name string, code connect.Code) {
	t.Helper()
	client := testnamev1connect.NewTestNameClient(servertest.HTTPClient(t, true, nil), s.URL, connect.WithGRPC())
	got, err := client.Lookup(t.Context(), &testnamev1.LookupRequest{Name: name})
	if connect.CodeOf(err) != code {
		t.Errorf("Lookup(%q): got %v %v, want %v", name, got, err, code)
	}
}

// A table with a mistake in it is not half imported.
func TestPlaceImportErrors(t *testing.T) {
	t.Parallel()
	data := servertest.NewFolder(t)
	servertest.Call(t, nil, "name,latitude,altitude\n", "admin", "place", "import", "--data", data, "-").Want(t, "admin place import", command.ExitOK)
	const header = "name,latitude,altitude\nGood,1,1\n"
	for table, want := range map[string]string{
		"":                                 "line 1: the header line is missing",
		"name,latitude\nx,1\n":             `line 1: the header has no column "altitude"`,
		"place,latitude,altitude\nx,1,1\n": `line 1: the header has no column "name"`,
		header + "x,1\n":                   "line 3: wrong number of fields",
		header + "x,1,2,3\n":               "line 3: wrong number of fields",
		header + "x,north,1\n":             `line 3: latitude "north" is not a number`,
		header + "x,1,\n":                  `line 3: altitude "" is not a number`,
		header + "x,90.1,1\n":              "line 3: latitude must be -90 to 90 degrees",
		header + "x,NaN,1\n":               "line 3: latitude must be -90 to 90 degrees",
		header + "x,1,1e9\n":               "line 3: altitude must be -12000 to 100000 metres",
		header + "x,1,Inf\n":               "line 3: altitude must be -12000 to 100000 metres",
		header + " ,1,1\n":                 "line 3: name is empty",
		header + "\xff,1,1\n":              "line 3: name is not valid UTF-8",
		header + strings.Repeat("é", 201) + ",1,1\n": "line 3: name is longer than 200 characters",
		header + "x,1,1\n\nGOOD ,2,2\n":              `line 5: "GOOD" stands in line 2 already`,
		header + "\"x,1,1\n":                         "line ",
		header + "x\"y,1,1\n":                        "line 3: bare \" in non-quoted-field",
	} {
		got := servertest.Call(t, nil, table, "admin", "place", "import", "--data", data, "-")
		got.Want(t, "admin place import of "+table, command.ExitFailure, "hush: -: "+want, "nothing was imported")
	}
	list := servertest.Call(t, nil, "", "admin", "place", "list", "--data", data).Want(t, "admin place list", command.ExitOK)
	if strings.Contains(list.Stdout, "Good") || strings.Contains(list.Stdout, "imported") {
		t.Errorf("hush admin place list: got %s, want nothing imported", list.Stdout)
	}
	missing := filepath.Join(t.TempDir(), "missing.csv")
	servertest.Call(t, nil, "", "admin", "place", "import", "--data", data, missing).Want(t, "admin place import", command.ExitFailure, missing, "no such file")
	file := filepath.Join(t.TempDir(), "places.csv")
	if err := os.WriteFile(file, []byte(header+"x,1,\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, nil, "", "admin", "place", "import", "--data", data, file).Want(t, "admin place import", command.ExitFailure, file+": line 3: ")
}
