package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/seal"
	"hush/seal/endtoend"
	"hush/server/servertest"
	"hush/testtier"
)

// Of an end-to-end encrypted secret the service never has content, passphrase or
// link secret: its memory, its log and its files are searched for them after the
// secret was shared and opened. What the service does encrypt itself is found in
// its memory, so the search works.
func TestMemoryHoldsNoEndToEndSecret(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "searches the memory of a process")
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--log-level=debug")
	client := hushv1connect.NewSecretServiceClient(servertest.HTTPClient(t, false, nil), p.URL)
	hidden, seen := map[string]string{}, map[string]string{}
	for i := range 20 {
		text := "server text " + rand.Text()
		seen[fmt.Sprintf("text %d", i)] = text
		kept, err := client.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Secret: text})
		if err != nil {
			t.Fatalf("ConcealSecret: got %v, want nil", err)
		}
		if _, err := client.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: kept.GetSecret().GetSecretKey()}); err != nil {
			t.Fatalf("RevealSecret: got %v, want nil", err)
		}
		liveEndToEnd(t, client, hidden, i)
	}
	memory := memoryOf(t, p.Cmd.Process.Pid)
	if found := searchMemory(t, memory(), seen); len(found) == 0 {
		t.Error("memory: got none of the texts that the service encrypts, want some, or the search does not work")
	}
	wantNone(t, "memory", searchMemory(t, memory(), hidden))
	wantNone(t, "the log", searchMemory(t, strings.NewReader(p.Log.String()), hidden))
	wantNone(t, "the data folder", searchMemory(t, bytes.NewReader(servertest.ReadFolder(t, p.Data)), hidden))
}

// The same holds for what browsers share and open.
func TestMemoryHoldsNothingOfTheBrowsersSecret(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "searches the memory of a process")
	tools := findBrowserTools(t)
	p := servertest.StartProcess(t, servertest.Build(t), filepath.Join(t.TempDir(), "data"), "--log-level=debug")
	memory := memoryOf(t, p.Cmd.Process.Pid)
	canary := &browserCanary{Text: "canary text " + rand.Text(), Passphrase: "canary passphrase " + rand.Text()}
	var link string
	kit := http.NewServeMux()
	kit.HandleFunc("POST /canary", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		link = string(body)
	})
	runBrowser(t, tools, nil, browserEnvironment{URL: p.URL, Task: "canary", Canary: canary}, kit)
	if t.Failed() || len(link) < 43 {
		t.Fatalf("the browser: got no link, want that of the canary")
	}
	hidden := map[string]string{"text": canary.Text, "passphrase": canary.Passphrase}
	hideLinkSecret(t, hidden, link[len(link)-43:], 0)
	wantNone(t, "memory", searchMemory(t, memory(), hidden))
	wantNone(t, "the log", searchMemory(t, strings.NewReader(p.Log.String()), hidden))
	wantNone(t, "the data folder", searchMemory(t, bytes.NewReader(servertest.ReadFolder(t, p.Data)), hidden))
}

func wantNone(t *testing.T, where string, found []string) {
	t.Helper()
	if len(found) > 0 {
		t.Errorf("%s: got %q in it, want none", where, found)
	}
}

// liveEndToEnd shares, opens and confirms an end-to-end encrypted secret, and
// adds what the service must not have.
func liveEndToEnd(t *testing.T, client hushv1connect.SecretServiceClient, hidden map[string]string, i int) {
	t.Helper()
	text, passphrase, k := "end-to-end text "+rand.Text(), "passphrase "+rand.Text(), endtoend.NewLinkSecret()
	keys, err := endtoend.Derive(k, passphrase)
	if err != nil {
		t.Fatal(err)
	}
	var content bytes.Buffer
	if err := keys.Seal(&content, endtoend.Header{Kind: endtoend.KindText, Size: uint64(len(text))}, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	linkProof, proof := keys.LinkProof(), keys.Proof()
	linkHash, hash := linkProof.Hash(), proof.Hash()
	kept, err := client.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Sealed: &hushv1.Sealed{
		Content: content.Bytes(), LinkProofHash: linkHash[:], ProofHash: hash[:], HasPassphrase: true,
	}})
	if err != nil {
		t.Fatalf("ConcealSecret(sealed): got %v, want nil", err)
	}
	claim := make([]byte, 32)
	_, _ = rand.Read(claim)
	key := kept.GetSecret().GetSecretKey()
	got, err := client.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: key, LinkProof: linkProof[:], Proof: proof[:], Claim: claim})
	if err != nil || !bytes.Equal(got.GetContent(), content.Bytes()) {
		t.Fatalf("RevealSecret(sealed): got %d bytes, %v, want the content", len(got.GetContent()), err)
	}
	if _, err := client.AcknowledgeReveal(t.Context(), &hushv1.AcknowledgeRevealRequest{SecretKey: key, Claim: claim}); err != nil {
		t.Fatalf("AcknowledgeReveal: got %v, want nil", err)
	}
	token, _ := seal.ParseToken(key)
	hidden[fmt.Sprintf("text %d", i)], hidden[fmt.Sprintf("passphrase %d", i)] = text, passphrase
	hideLinkSecret(t, hidden, endtoend.Link{Key: token, Secret: k}.Expose()[len(key):], i)
}

// hideLinkSecret adds the link secret of a link as it is written, and its bytes.
func hideLinkSecret(t *testing.T, hidden map[string]string, secret string, i int) {
	t.Helper()
	raw, ok := new(big.Int).SetString(strings.Map(swapCase, secret), 62) // math/big has small letters first
	if !ok {
		t.Fatalf("link secret: got %d characters, want a number in base 62", len(secret))
	}
	hidden[fmt.Sprintf("link secret %d", i)], hidden[fmt.Sprintf("its bytes %d", i)] = secret, string(raw.FillBytes(make([]byte, 32)))
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// memoryOf returns a function that reads the writable memory of a process.
func memoryOf(t *testing.T, pid int) func() io.Reader {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: the process refuses to be read by its own user")
	}
	return func() io.Reader {
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		if err != nil {
			t.Fatal(err)
		}
		memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { memory.Close() })
		var regions []io.Reader
		for line := range strings.Lines(string(maps)) {
			var from, to int64
			var mode string
			if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || !strings.HasPrefix(mode, "rw") {
				continue
			}
			regions = append(regions, &region{io.NewSectionReader(memory, from, to-from)})
		}
		return io.MultiReader(regions...)
	}
}

// region reads what can be read of a region, and ends at what cannot.
type region struct{ *io.SectionReader }

func (r *region) Read(b []byte) (int, error) {
	n, err := r.SectionReader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, io.EOF
	}
	return n, err
}

// searchMemory returns the names of the values that occur in what is read.
func searchMemory(t *testing.T, in io.Reader, values map[string]string) (found []string) {
	t.Helper()
	const most = 1 << 20
	reader := bufio.NewReaderSize(in, 2*most)
	left := maps.Clone(values)
	for {
		window, err := reader.Peek(2 * most)
		for name, value := range left {
			if bytes.Contains(window, []byte(value)) {
				found = append(found, name)
				delete(left, name)
			}
		}
		if err != nil {
			return found
		}
		_, _ = reader.Discard(most)
	}
}
