package handlers_test

import (
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/vault/vaulttest"
)

func (s *testServer) conceal(t *testing.T, b *browser) *hushv1.Metadata {
	t.Helper()
	secrets := hushv1connect.NewSecretServiceClient(s.client(b), s.url)
	res, err := secrets.ConcealSecret(t.Context(), &hushv1.ConcealSecretRequest{Secret: "text"})
	if err != nil {
		t.Fatalf("ConcealSecret: got %v, want no error", err)
	}
	return res.GetMetadata()
}

func TestListMetadata(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	var keys []string
	for range 3 {
		keys = append(keys, s.conceal(t, b).GetMetadataKey())
		s.kit.Clock.Advance(time.Second)
	}
	receipts := hushv1connect.NewMetadataServiceClient(s.client(b), s.url)
	if _, err := receipts.GetMetadata(t.Context(), &hushv1.GetMetadataRequest{MetadataKey: keys[0]}); err != nil {
		t.Fatalf("GetMetadata: got %v, want no error", err)
	}
	list := func(req *hushv1.ListMetadataRequest) ([]string, string) {
		res, err := receipts.ListMetadata(t.Context(), req)
		if err != nil {
			t.Fatalf("ListMetadata(%v): got %v, want no error", req, err)
		}
		var got []string
		for _, m := range res.GetMetadata() {
			got = append(got, m.GetMetadataKey())
		}
		return got, res.GetNextPageToken()
	}
	first, token := list(&hushv1.ListMetadataRequest{PageSize: 2})
	if diff := cmp.Diff([]string{keys[2], keys[1]}, first); diff != "" || token == "" {
		t.Errorf("ListMetadata, first page: got the token %q and (-want +got):\n%s", token, diff)
	}
	second, token := list(&hushv1.ListMetadataRequest{PageSize: 2, PageToken: token})
	if diff := cmp.Diff(keys[:1], second); diff != "" || token != "" {
		t.Errorf("ListMetadata, second page: got the token %q and (-want +got):\n%s", token, diff)
	}
	viewed, _ := list(&hushv1.ListMetadataRequest{States: []hushv1.State{hushv1.State_STATE_VIEWED}})
	if diff := cmp.Diff(keys[:1], viewed); diff != "" {
		t.Errorf("ListMetadata of viewed ones (-want +got):\n%s", diff)
	}
	_, err := receipts.ListMetadata(t.Context(), &hushv1.ListMetadataRequest{PageToken: "made up"})
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("ListMetadata with a token that was made up: got %v, want an invalid argument", err)
	}
}

// A token that the operator created opens only later entries; the list says how
// many it leaves out.
func TestListMetadataCountsWhatIsSealed(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	s.conceal(t, b)
	token := s.bearer(t, 0)
	s.conceal(t, b)
	receipts := hushv1connect.NewMetadataServiceClient(s.client(token), s.url)
	res, err := receipts.ListMetadata(t.Context(), &hushv1.ListMetadataRequest{})
	if err != nil || len(res.GetMetadata()) != 1 || res.GetSealedCount() != 1 {
		t.Errorf("ListMetadata: got %d receipts, %d sealed, %v, want one of each", len(res.GetMetadata()), res.GetSealedCount(), err)
	}
}

func TestTimelineOnTheWire(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	owner, _ := s.signIn(t, false)
	made := s.conceal(t, owner)
	s.kit.Clock.Advance(time.Second)
	secrets := hushv1connect.NewSecretServiceClient(s.client(&browser{}), s.url)
	if _, err := secrets.RevealSecret(t.Context(), &hushv1.RevealSecretRequest{SecretKey: made.GetSecretKey()}); err != nil {
		t.Fatalf("RevealSecret: got %v, want no error", err)
	}
	receipts := hushv1connect.NewMetadataServiceClient(s.client(owner), s.url)
	res, err := receipts.GetMetadata(t.Context(), &hushv1.GetMetadataRequest{MetadataKey: made.GetMetadataKey()})
	if err != nil {
		t.Fatalf("GetMetadata: got %v, want no error", err)
	}
	start := vaulttest.StartTime()
	want := []*hushv1.Event{
		{Kind: hushv1.Event_KIND_CREATED, Time: timestamppb.New(start), Network: "127.0.0.0/24", Count: 1},
		{Kind: hushv1.Event_KIND_REVEALED, Time: timestamppb.New(start.Add(time.Second)), Network: "127.0.0.0/24", Count: 1},
	}
	if diff := cmp.Diff(want, res.GetMetadata().GetEvents(), protocmp.Transform()); diff != "" {
		t.Errorf("GetMetadata: events (-want +got):\n%s", diff)
	}
	if got := res.GetMetadata().GetCustid(); got != testAddress {
		t.Errorf("GetMetadata: got custid %q, want %q", got, testAddress)
	}
}
