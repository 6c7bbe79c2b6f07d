package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/resolver/resolvertest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
	"hush/vault/rows"
	"hush/vault/tables"
	"hush/vault/vaulttest"
)

const (
	// frozenFolders has a data folder of each format, named by the release that
	// froze it: an archive, and what is in it. They are never changed.
	frozenFolders = "testdata/folders"
	frozenArchive = "folder.tar.gz"
)

// frozenBuckets returns the names of all buckets.
func frozenBuckets() []string { return tables.Names() }

// frozenReleases returns the releases with a frozen folder.
func frozenReleases(t *testing.T) (releases []string) {
	t.Helper()
	found, err := os.ReadDir(frozenFolders)
	vaulttest.Want(t, "ReadDir(testdata/folders)", err, nil)
	for _, entry := range found {
		releases = append(releases, entry.Name())
	}
	return releases
}

// readFrozen reads what the frozen folder of a release holds.
func readFrozen(t *testing.T, release string) *frozen {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(frozenFolders, release, "contents.json"))
	vaulttest.Want(t, "ReadFile(contents.json)", err, nil)
	made := &frozen{}
	vaulttest.Want(t, "Unmarshal(contents.json)", json.Unmarshal(content, made), nil)
	vaulttest.Want(t, "release of contents.json", made.Release, release)
	return made
}

// thaw unpacks the frozen folder of a release.
func thaw(t *testing.T, release string) (dir string) {
	t.Helper()
	testtier.Check(t, "unpacks data folders of earlier releases")
	file, err := os.Open(filepath.Join(frozenFolders, release, frozenArchive))
	vaulttest.Want(t, "Open(archive)", err, nil)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	vaulttest.Want(t, "gzip.NewReader()", err, nil)
	dir = filepath.Join(t.TempDir(), "data")
	vaulttest.Want(t, "Mkdir()", os.Mkdir(dir, 0o700), nil)
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		vaulttest.Want(t, "Next()", err, nil)
		content, err := io.ReadAll(archive)
		vaulttest.Want(t, "ReadAll()", err, nil)
		path := filepath.Join(dir, filepath.FromSlash(header.Name))
		vaulttest.Want(t, "MkdirAll()", os.MkdirAll(filepath.Dir(path), 0o700), nil)
		vaulttest.Want(t, "WriteFile()", os.WriteFile(path, content, fs.FileMode(header.Mode)), nil)
	}
}

// packFolder returns the archive of a data folder.
func packFolder(t *testing.T, dir string) []byte {
	t.Helper()
	var packed bytes.Buffer
	plain, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	vaulttest.Want(t, "gzip.NewWriterLevel()", err, nil)
	archive := tar.NewWriter(plain)
	names := []string{"hush.db", "root.key", "shares"}
	files, err := filepath.Glob(filepath.Join(dir, "files", "*"))
	vaulttest.Want(t, "Glob(files)", err, nil)
	for _, file := range files {
		names = append(names, "files/"+filepath.Base(file))
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		vaulttest.Want(t, "Stat("+name+")", err, nil)
		content, err := os.ReadFile(path)
		vaulttest.Want(t, "ReadFile("+name+")", err, nil)
		header := &tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: int64(len(content)), Format: tar.FormatUSTAR}
		vaulttest.Want(t, "WriteHeader()", archive.WriteHeader(header), nil)
		_, err = archive.Write(content)
		vaulttest.Want(t, "Write()", err, nil)
	}
	vaulttest.Want(t, "Close()", errors.Join(archive.Close(), plain.Close()), nil)
	return packed.Bytes()
}

// Each format has a frozen folder, so that none of them is forgotten when what
// reads it changes. The newest is frozen by the release that begins it.
func TestEachFormatIsFrozen(t *testing.T) {
	t.Parallel()
	first := map[rows.Format]string{}
	for _, release := range frozenReleases(t) {
		made := readFrozen(t, release)
		if made.Format.FirstRelease() == release {
			first[made.Format] = release
		}
		info, err := os.Stat(filepath.Join(frozenFolders, release, frozenArchive))
		vaulttest.Want(t, "Stat(archive)", err, nil)
		if info.Size() > 150_000 {
			t.Errorf("archive of %s: got %d bytes, want at most 150,000", release, info.Size())
		}
	}
	for format := rows.Format(1); format <= rows.FormatNewest(); format++ {
		if first[format] == "" {
			t.Errorf("format %d: got no frozen folder, want that of hush %s; see %s", format, format.FirstRelease(), "frozen_maker_test.go")
		}
	}
}

// The service opens the folder of each release that was ever frozen, and
// everything in it works on.
func TestFrozenFolders(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	for _, release := range frozenReleases(t) {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			useFrozen(t, readFrozen(t, release), thaw(t, release))
		})
	}
}

// The program opens those folders, too, and uses what does not end with time.
func TestProgramOpensFrozenFolders(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "a data folder")
	for _, release := range frozenReleases(t) {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			made, dir := readFrozen(t, release), thaw(t, release)
			dns := resolvertest.New(t)
			dns.SetTXT(made.TXTName, made.TXTValue)
			flags := []string{servertest.InFolder, "--resolver", dns.Addr}
			s := servertest.StartOn(t, dir, append(flags, "--moved")...) // an archive is a copy
			upgrades := 0
			if made.Format < rows.FormatNewest() {
				upgrades = 1
			}
			wantUpgradeLines(t, s, upgrades)
			useFrozenProgram(t, made, servertest.HTTPClient(t, false, nil), s.URL)
			s.Stop(t)
			listed := servertest.Call(t, nil, "", "admin", "account", "list", "--data", dir).Want(t, "admin account list", 0)
			for _, address := range []string{made.Colonel, made.Customer, made.Disabled} {
				if !strings.Contains(listed.Stdout, address) {
					t.Errorf("hush admin account list: got %q, want %s in it", listed.Stdout, address)
				}
			}
			s = servertest.StartOn(t, dir, flags...)
			wantUpgradeLines(t, s, 0)
			useFrozenProgram(t, made, servertest.HTTPClient(t, false, nil), s.URL)
		})
	}
}

// wantUpgradeLines fails the test unless the log of a server has that many lines
// about an upgrade.
func wantUpgradeLines(t *testing.T, s *servertest.Server, want int) {
	t.Helper()
	if got := strings.Count(s.Log.String(), "upgraded the format of the data"); got != want {
		t.Errorf("lines about an upgrade: got %d, want %d: %s", got, want, s.Log)
	}
}

// useFrozenProgram uses a frozen folder through the program.
func useFrozenProgram(t *testing.T, made *frozen, client *http.Client, url string) {
	t.Helper()
	rpc := func(token, procedure, body string, status int, words ...string) {
		t.Helper()
		var header map[string][]string
		if token != "" {
			header = apitest.Bearer(token)
		}
		reply := apitest.Call(t, client, url, "/hush.v1."+procedure, header, body)
		if reply.Status != status {
			t.Errorf("%s: got status %d, want %d: %s", procedure, reply.Status, status, reply.Body)
		}
		for _, word := range words {
			if !strings.Contains(reply.Body, word) {
				t.Errorf("%s: got %s, want %q in it", procedure, reply.Body, word)
			}
		}
	}
	rpc(made.Token, "AccountService/GetAccount", `{}`, 200, made.Customer)
	rpc(made.Token, "DomainService/ListDomains", `{}`, 200, made.Domain, made.Unverified)
	rpc(made.Token, "DomainService/GetDomainBrand", `{"domain":"`+made.Domain+`"}`, 200, "a brand of the past")
	rpc(made.NarrowToken, "MetadataService/ListMetadata", `{}`, 200)
	rpc(made.NarrowToken, "AccountService/GetAccount", `{}`, 403)
	rpc(made.RevokedToken, "AccountService/GetAccount", `{}`, 401)
	rpc(made.ColonelToken, "ColonelService/GetIndex", `{}`, 200)
	rpc(made.Token, "ColonelService/GetIndex", `{}`, 404)
	for address, status := range map[string]int{made.Customer: 200, made.Colonel: 200, made.Disabled: 403, made.Destroyed: 403} {
		rpc("", "SessionService/CreateSession", `{"address":"`+address+`","password":"`+made.Password+`"}`, status)
	}
	for name, kept := range made.Secrets {
		if slices.Contains(frozenEnded(), name) {
			rpc("", "SecretService/RevealSecret", `{"secretKey":"`+kept.Secret+`"}`, 404)
		}
	}
}
