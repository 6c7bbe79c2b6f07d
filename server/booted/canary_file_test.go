package booted_test

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/routes/apitest"
	"hush/seal/chunked"
	"hush/server/servertest"
)

// canaryFile is a file that is sent to a server, of whose fields each is a canary.
type canaryFile struct {
	files                    hushv1connect.FileServiceClient
	secrets                  hushv1connect.SecretServiceClient
	key                      string
	link, proof, token, read []byte
	content                  []byte
}

func newCanaryFile(sent *apitest.Canaries, client *http.Client, url, by string) *canaryFile {
	word := func(field string) []byte { return []byte(sent.Add(field+" by "+by, apitest.RandomWord(32))) }
	f := &canaryFile{
		files: hushv1connect.NewFileServiceClient(client, url), secrets: hushv1connect.NewSecretServiceClient(client, url),
		link: word("link proof"), proof: word("proof"), token: word("upload token"), read: word("claim"),
	}
	f.content = make([]byte, chunked.SealedSize(1000))
	copy(f.content[200:], word("part"))
	return f
}

// send begins the file and sends its only part, in ways that are refused, too.
func (f *canaryFile) send(t *testing.T, sent *apitest.Canaries) {
	t.Helper()
	link, proof := sha256.Sum256(f.link), sha256.Sum256(f.proof)
	preview := make([]byte, 328)
	copy(preview, sent.Word("preview"))
	begun, err := f.files.BeginFile(t.Context(), &hushv1.BeginFileRequest{
		Size: uint64(len(f.content)), LinkProofHash: link[:], ProofHash: proof[:], UploadToken: f.token, Preview: preview,
	})
	if err != nil {
		t.Fatalf("BeginFile: got %v, want no error", err)
	}
	f.key = sent.Add("issued secret key", begun.GetSecret().GetSecretKey())
	for _, token := range [][]byte{f.proof, f.token} {
		_, err = f.files.PutPart(t.Context(), &hushv1.PutPartRequest{SecretKey: f.key, UploadToken: token, Content: f.content})
	}
	if err != nil {
		t.Fatalf("PutPart: got %v, want no error", err)
	}
	other := bytes.Clone(f.content)
	copy(other[300:], sent.Word("other bytes of a part"))
	for number, content := range [][]byte{other, f.content, other[:40]} {
		_, err := f.files.PutPart(t.Context(), &hushv1.PutPartRequest{SecretKey: f.key, UploadToken: f.token, Number: uint32(number), Content: content})
		if err == nil {
			t.Errorf("PutPart(%d, %d bytes): got no error, want one", number, len(content))
		}
	}
}

// fetch reveals the file and fetches its part.
func (f *canaryFile) fetch(t *testing.T) {
	t.Helper()
	if _, err := f.secrets.GetSecret(t.Context(), &hushv1.GetSecretRequest{SecretKey: f.key, LinkProof: f.link}); err != nil {
		t.Errorf("GetSecret: got %v, want no error", err)
	}
	if _, err := f.secrets.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{
		SecretKey: f.key, LinkProof: f.link, Proof: f.proof, Claim: f.read, AcceptsVersion: 2,
	}); err != nil {
		t.Fatalf("RevealSecret: got %v, want no error", err)
	}
	got, err := f.files.GetPart(t.Context(), &hushv1.GetPartRequest{SecretKey: f.key, Claim: f.read})
	if err != nil || !bytes.Equal(got.GetContent(), f.content) {
		t.Errorf("GetPart: got %d bytes, %v, want those that were sent", len(got.GetContent()), err)
	}
}

// A thief of logs, or of the data folder at any step of a file, gets neither what the device
// sent of it, nor what authorises to send, to open or to fetch it.
func TestFileCanary(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, "--log-level=debug")
	sent := &apitest.Canaries{}
	for _, http2 := range []bool{false, true} {
		client := servertest.HTTPClient(t, http2, nil)
		search := func(step string) {
			t.Helper()
			sent.Search(t, "the data folder of a server on which a file "+step, servertest.ReadFolder(t, s.Data))
		}
		f := newCanaryFile(sent, client, s.URL, map[bool]string{false: "HTTP 1", true: "HTTP 2"}[http2])
		f.send(t, sent)
		search("arrives")
		if _, err := f.files.FinishFile(t.Context(), &hushv1.FinishFileRequest{SecretKey: f.key, UploadToken: f.token}); err != nil {
			t.Fatalf("FinishFile: got %v, want no error", err)
		}
		search("waits")
		f.fetch(t)
		search("is fetched")
		if _, err := f.secrets.AcknowledgeReveal(t.Context(), &hushv1.AcknowledgeRevealRequest{SecretKey: f.key, Claim: f.read}); err != nil {
			t.Errorf("AcknowledgeReveal: got %v, want no error", err)
		}
		if _, err := f.files.GetPart(t.Context(), &hushv1.GetPartRequest{SecretKey: f.key, Claim: f.read}); connect.CodeOf(err) != connect.CodeNotFound {
			t.Errorf("GetPart(after the end): got %v, want not_found", err)
		}
		search("was opened")
	}
	s.Stop(t)
	sent.Search(t, "the data folder", servertest.ReadFolder(t, s.Data))
	log := []byte(s.Log.String())
	sent.Search(t, "the log", log)
	if !bytes.Contains(log, []byte("/hush.v1.FileService/GetPart")) {
		t.Errorf("the log: got no line of a part, want one:\n%s", log)
	}
}
