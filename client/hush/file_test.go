package hush_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	hushv1 "hush/gen/hush/v1"
	"hush/seal/endtoend"
	"hush/vault/vaulttest"
)

// fileBody returns a content whose parts differ.
func fileBody(size int) []byte {
	body := make([]byte, size)
	source := rand.NewChaCha8([32]byte{byte(size), byte(size >> 8)})
	_, _ = source.Read(body)
	return body
}

// partsOf is a size with so many parts.
func partsOf(n int) int { return (n-1)*endtoend.PartSize + 100_000 }

func mustBegin(t testing.TB, c *hush.Client, request client.FileRequest) (client.Upload, client.Shared) {
	t.Helper()
	upload, shared, err := c.BeginFile(t.Context(), request)
	if err != nil {
		t.Fatalf("BeginFile: got %v, want no error", err)
	}
	return upload, shared
}

// shareFile shares a file whole.
func shareFile(t testing.TB, c *hush.Client, request client.FileRequest, body []byte) client.Shared {
	t.Helper()
	upload, shared := mustBegin(t, c, request)
	if err := c.SendFile(t.Context(), upload, bytes.NewReader(body), nil); err != nil {
		t.Fatalf("SendFile: got %v, want no error", err)
	}
	if err := c.FinishFile(t.Context(), upload); err != nil {
		t.Fatalf("FinishFile: got %v, want no error", err)
	}
	return shared
}

// sink is a client.FileSink in memory.
type sink struct {
	bytes.Buffer

	content client.FileContent
	have    int64
	// fail, unless it is 0, is after how many bytes a write fails.
	fail int
}

func (s *sink) Begin(content client.FileContent) (int64, error) {
	s.content = content
	return s.have, nil
}

var errDiskFull = errors.New("the disk is full")

func (s *sink) Write(content []byte) (int, error) {
	if s.fail > 0 && s.Len()+len(content) > s.fail {
		return 0, errDiskFull
	}
	return s.Buffer.Write(content)
}

func wantFetched(t testing.TB, c *hush.Client, link client.Link, passphrase client.Text, body []byte) client.Claim {
	t.Helper()
	claim, to := client.NewClaim(), &sink{}
	if err := c.FetchFile(t.Context(), link, passphrase, claim, to); err != nil {
		t.Fatalf("FetchFile: got %v, want no error", err)
	}
	if !bytes.Equal(to.Bytes(), body) || to.content.Size != int64(len(body)) {
		t.Fatalf("FetchFile: got %d bytes of %d, want the %d that were shared", to.Len(), to.content.Size, len(body))
	}
	return claim
}

func TestFileRoundTrip(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	body := fileBody(partsOf(3))
	request := client.FileRequest{FileName: "disk.img", Size: int64(len(body)), Note: "for the restore\nof Friday"}
	upload, shared := mustBegin(t, c, request)
	link := clienttest.Parsed(t, shared.Link)
	looked, err := c.Look(t.Context(), link)
	if err != nil || looked.File == nil || looked.File.Complete || looked.File.Parts != 3 || looked.File.Arrived != 0 {
		t.Fatalf("Look, begun: got %+v, %v, want a file that is still arriving", looked.File, err)
	}
	if p := looked.Preview; p == nil || p.FileName != "disk.img" || p.Size != int64(len(body)) || p.Note != request.Note {
		t.Errorf("Look: got the preview %+v, want name, size and note", p)
	}
	err = c.FetchFile(t.Context(), link, client.Text{}, client.NewClaim(), &sink{})
	clienttest.WantError(t, "FetchFile, begun", err, client.ErrArriving)
	if err := c.SendFile(t.Context(), upload, bytes.NewReader(body), nil); err != nil {
		t.Fatalf("SendFile: got %v, want no error", err)
	}
	if looked, err := c.Look(t.Context(), link); err != nil || looked.File.Complete || looked.File.ArrivedPercent() != 99 {
		t.Errorf("Look, sent: got %+v, %v, want all but the end", looked.File, err)
	}
	for range 2 {
		if err := c.FinishFile(t.Context(), upload); err != nil {
			t.Fatalf("FinishFile: got %v, want no error", err)
		}
	}
	if err := c.SendFile(t.Context(), upload, bytes.NewReader(body), nil); err != nil {
		t.Errorf("SendFile, finished: got %v, want no error", err)
	}
	_, err = c.Open(t.Context(), link, client.Text{}, client.NewClaim())
	clienttest.WantError(t, "Open", err, client.ErrUnsupported)
	claim := wantFetched(t, c, link, client.Text{}, body)
	receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil || receipt.Delivery != client.DeliveryPending || receipt.File == nil {
		t.Errorf("Receipt, fetched: got %v, %+v, %v, want it not delivered yet", receipt.Delivery, receipt.File, err)
	}
	if err := c.Acknowledge(t.Context(), link, claim); err != nil {
		t.Fatalf("Acknowledge: got %v, want no error", err)
	}
	if receipt, err = c.Receipt(t.Context(), shared.Receipt.Key); err != nil || receipt.Delivery != client.DeliveryConfirmed || receipt.File == nil || receipt.File.FetchedPercent() != 100 {
		t.Errorf("Receipt, acknowledged: got %v, %+v, %v, want it fetched and delivered", receipt.Delivery, receipt.File, err)
	}
	err = c.FetchFile(t.Context(), link, client.Text{}, claim, &sink{})
	clienttest.WantError(t, "FetchFile, acknowledged", err, client.ErrGone)
}

func TestFileWithPassphrase(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	body := fileBody(1000)
	_, _, err := c.BeginFile(t.Context(), client.FileRequest{Size: 1000, Passphrase: client.Hide(aPassphrase), Note: "x"})
	clienttest.WantError(t, "BeginFile with a note", err, client.ErrUsage)
	shared := shareFile(t, c, client.FileRequest{FileName: "x", Size: 1000, Passphrase: client.Hide(aPassphrase)}, body)
	looked, err := c.Look(t.Context(), shared.Link)
	if err != nil || looked.File == nil || !looked.File.Complete || looked.Preview != nil || !looked.HasPassphrase {
		t.Fatalf("Look: got %+v, %v, want a file that shows nothing of it", looked, err)
	}
	claim := client.NewClaim()
	err = c.FetchFile(t.Context(), shared.Link, client.Hide("another"), claim, &sink{})
	clienttest.WantError(t, "FetchFile, wrong passphrase", err, client.ErrPassphrase)
	wantFetched(t, c, shared.Link, client.Hide(aPassphrase), body)
}

// A sink that fails leaves the file for a later call, which goes on.
func TestFetchGoesOnWhereTheSinkIs(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	body := fileBody(partsOf(4))
	shared := shareFile(t, c, client.FileRequest{FileName: "disk.img", Size: int64(len(body))}, body)
	claim := client.NewClaim()
	to := &sink{fail: 2*endtoend.PartSize + 5000}
	if err := c.FetchFile(t.Context(), shared.Link, client.Text{}, claim, to); !errors.Is(err, errDiskFull) {
		t.Fatalf("FetchFile, full: got %v, want %v", err, errDiskFull)
	}
	for _, have := range []int{to.Len(), 1, endtoend.PartSize, len(body) - 1, len(body)} {
		rest := &sink{have: int64(have)}
		if err := clientOf(t, s.URL, client.Options{}).FetchFile(t.Context(), shared.Link, client.Text{}, claim, rest); err != nil {
			t.Errorf("FetchFile behind %d: got %v, want no error", have, err)
		}
		if !bytes.Equal(rest.Bytes(), body[have:]) {
			t.Errorf("FetchFile behind %d: got %d bytes, want the other %d", have, rest.Len(), len(body)-have)
		}
	}
}

// memorySpool is a client.Spool that outlives a client.
type memorySpool struct {
	mu    sync.Mutex
	parts [client.PartsInFlight]*client.SealedPart
	kept  func(number uint32) // after each part
}

func (s *memorySpool) Keep(part client.SealedPart) error {
	part.Content, part.Rest = bytes.Clone(part.Content), bytes.Clone(part.Rest)
	s.mu.Lock()
	s.parts[part.Number%client.PartsInFlight] = &part
	s.mu.Unlock()
	if s.kept != nil {
		s.kept(part.Number)
	}
	return nil
}

func (s *memorySpool) Kept() (kept []client.SealedPart, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, part := range s.parts {
		if part != nil {
			one := *part
			one.Content, one.Rest = bytes.Clone(part.Content), bytes.Clone(part.Rest)
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// partsSeen notes what the wire sees of parts: never two of one place under one salt.
type partsSeen struct {
	t    testing.TB
	mu   sync.Mutex
	sums map[string][sha256.Size]byte
	salt [24]byte
	next http.RoundTripper
}

// under notes the salt of the parts that come now.
func (p *partsSeen) under(upload client.Upload) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.salt = upload.Facts().Salt
}

// RoundTrip implements http.RoundTripper.
func (p *partsSeen) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/hush.v1.FileService/PutPart" {
		return p.next.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	request := new(hushv1.PutPartRequest)
	if err := proto.Unmarshal(body, request); err != nil {
		p.t.Errorf("PutPart: got %v, want a request", err)
	}
	p.mu.Lock()
	if request.GetNumber() == 0 && !bytes.Equal(request.GetContent()[:24], p.salt[:]) {
		p.t.Error("part 0: got another salt than that of the upload")
	}
	place, sum := string(p.salt[:])+strconv.Itoa(int(request.GetNumber())), sha256.Sum256(request.GetContent())
	if before, ok := p.sums[place]; ok && before != sum {
		p.t.Errorf("part %d: got other bytes than before under the same salt", request.GetNumber())
	}
	p.sums[place] = sum
	p.mu.Unlock()
	return p.next.RoundTrip(r)
}

// changingBody is a file that changes between any two reads, as a log does.
type changingBody struct {
	size  int64
	reads int
}

func (c *changingBody) ReadAt(into []byte, at int64) (int, error) {
	c.reads++
	n := int(min(int64(len(into)), c.size-at))
	for i := range into[:n] {
		into[i] = byte(c.reads)
	}
	if n < len(into) {
		return n, io.EOF
	}
	return n, nil
}

// The sender's program is killed again and again while it sends a file that changes all the
// time. No part goes out with other bytes than before: two texts under one nonce would give
// the key away. And all of it arrives.
func TestSendingSurvivesKills(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	seen := &partsSeen{t: t, sums: map[string][sha256.Size]byte{}, next: http.DefaultTransport}
	c := clientOf(t, s.URL, client.Options{HTTP: &http.Client{Transport: seen}})
	size := int64(partsOf(7))
	upload, shared := mustBegin(t, c, client.FileRequest{FileName: "log", Size: size})
	seen.under(upload)
	text, spool, body := upload.Expose(), &memorySpool{}, &changingBody{size: size}
	random := rand.New(rand.NewPCG(1, 29))
	for kill := range 12 {
		again, ok := client.ParseUpload(text)
		if !ok {
			t.Fatal("ParseUpload: got no upload, want the one of Expose")
		}
		ctx, cancel := context.WithCancel(t.Context())
		if kill < 11 {
			last := uint32(random.IntN(7))
			spool.kept = func(number uint32) {
				if number >= last {
					time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, cancel)
				}
			}
		} else {
			spool.kept = nil
		}
		err := c.SendFile(ctx, again, body, spool)
		cancel()
		if err == nil {
			break
		}
		if kill == 11 {
			t.Fatalf("SendFile: got %v, want no error", err)
		}
	}
	if err := c.FinishFile(t.Context(), upload); err != nil {
		t.Fatalf("FinishFile: got %v, want no error", err)
	}
	to := &sink{}
	if err := c.FetchFile(t.Context(), shared.Link, client.Text{}, client.NewClaim(), to); err != nil || int64(to.Len()) != size {
		t.Errorf("FetchFile: got %d bytes, %v, want %d", to.Len(), err, size)
	}
}

// Who has lost the parts that were on their way begins anew, under the same link and
// another salt.
func TestSendingBeginsAnew(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	seen := &partsSeen{t: t, sums: map[string][sha256.Size]byte{}, next: http.DefaultTransport}
	c := clientOf(t, s.URL, client.Options{HTTP: &http.Client{Transport: seen}})
	body := fileBody(partsOf(6))
	upload, shared := mustBegin(t, c, client.FileRequest{FileName: "x", Size: int64(len(body))})
	seen.under(upload)
	ctx, cancel := context.WithCancel(t.Context())
	spool := &memorySpool{kept: func(number uint32) {
		if number == 5 {
			cancel()
		}
	}}
	if err := c.SendFile(ctx, upload, bytes.NewReader(body), spool); err == nil {
		t.Fatal("SendFile, cancelled: got no error, want one")
	}
	err := c.SendFile(t.Context(), upload, bytes.NewReader(body), &memorySpool{})
	clienttest.WantError(t, "SendFile without its spool", err, client.ErrRestart)
	upload = upload.Restarted()
	seen.under(upload)
	if err := c.RestartFile(t.Context(), upload); err != nil {
		t.Fatalf("RestartFile: got %v, want no error", err)
	}
	if looked, err := c.Look(t.Context(), shared.Link); err != nil || looked.File.Arrived != 0 {
		t.Errorf("Look, restarted: got %+v, %v, want nothing there", looked.File, err)
	}
	if err := c.SendFile(t.Context(), upload, bytes.NewReader(body), &memorySpool{}); err != nil {
		t.Fatalf("SendFile, restarted: got %v, want no error", err)
	}
	if err := c.FinishFile(t.Context(), upload); err != nil {
		t.Fatalf("FinishFile: got %v, want no error", err)
	}
	wantFetched(t, c, shared.Link, client.Text{}, body)
}

func TestCancelFile(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	c := clientOf(t, s.URL, client.Options{})
	upload, shared := mustBegin(t, c, client.FileRequest{FileName: "x", Size: 5000})
	if err := c.CancelFile(t.Context(), upload); err != nil {
		t.Fatalf("CancelFile: got %v, want no error", err)
	}
	clienttest.WantError(t, "CancelFile, again", c.CancelFile(t.Context(), upload), client.ErrGone)
	clienttest.WantError(t, "SendFile", c.SendFile(t.Context(), upload, bytes.NewReader(fileBody(5000)), nil), client.ErrGone)
	clienttest.WantError(t, "FinishFile", c.FinishFile(t.Context(), upload), client.ErrGone)
	receipt, err := c.Receipt(t.Context(), shared.Receipt.Key)
	if err != nil || receipt.State != client.StateBurned {
		t.Errorf("Receipt: got %v, %v, want it burned", receipt.State, err)
	}
}

// A line cuts connections anywhere, and the server is away now and then. All of the file
// arrives, at the server and behind it, and the progress never falls.
func TestFileOverACutLine(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	direct := clientOf(t, s.URL, client.Options{})
	l := startLine(t, s.Addr(), nil)
	var mu sync.Mutex
	var last client.Progress
	c := clientOf(t, l.url, client.Options{Progress: func(p client.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Stage == last.Stage && p.Done < last.Done {
			t.Errorf("Progress: got %d after %d, want no less", p.Done, last.Done)
		}
		last = p
	}})
	body := fileBody(partsOf(4))
	upload, shared := mustBegin(t, direct, client.FileRequest{FileName: "x", Size: int64(len(body))})
	during := func(what string, work func() error) {
		stop := make(chan struct{})
		var cutting sync.WaitGroup
		cutting.Go(func() {
			for range 8 {
				select {
				case <-stop:
					return
				case <-time.After(30 * time.Millisecond):
				}
				l.to("")
				time.Sleep(5 * time.Millisecond)
				l.to(s.Addr())
			}
		})
		if err := work(); err != nil {
			t.Errorf("%s: got %v, want no error", what, err)
		}
		close(stop)
		cutting.Wait()
	}
	during("SendFile", func() error { return c.SendFile(t.Context(), upload, bytes.NewReader(body), nil) })
	if err := c.FinishFile(t.Context(), upload); err != nil {
		t.Fatalf("FinishFile: got %v, want no error", err)
	}
	link, to := shared.Link, &sink{}
	link.Server = l.url
	during("FetchFile", func() error { return c.FetchFile(t.Context(), link, client.Text{}, client.NewClaim(), to) })
	if !bytes.Equal(to.Bytes(), body) {
		t.Errorf("FetchFile: got %d bytes, want the %d that were shared", to.Len(), len(body))
	}
}
