package handlers_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/vault/caller"
	"hush/vault/cluster"
	"hush/vault/vaulttest"
)

// Only a colonel sees the nodes, over each protocol.
func TestColonelSeesNodes(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{
		Manual: true, Policy: caller.Policy{Colonels: []string{testAddress}}, Node: cluster.NodeOptions{Release: "1.2.3"},
	}
	c.Node(t, "a", opts)
	b := c.Node(t, "b", opts)
	b.MustSweep(t)
	s := newServerOf(t, b, nil)
	b.Clock.Advance(30 * time.Second)
	start := timestamppb.New(vaulttest.StartTime())
	want := []*hushv1.Node{
		{Number: 0, Name: "a", Version: "1.2.3", StartTime: start, HeartbeatTime: start, ClockOffset: &durationpb.Duration{}},
		{Number: 1, Name: "b", Version: "1.2.3", StartTime: start, HeartbeatTime: timestamppb.New(b.Clock.Now()), ClockOffset: &durationpb.Duration{}, Responding: true, Live: true, Works: []hushv1.NodeWork{hushv1.NodeWork_NODE_WORK_SWEEP}},
	}
	if err := b.Vault.Beat(t.Context()); err != nil {
		t.Fatalf("Beat: got %v, want no error", err)
	}
	who, _ := s.signIn(t, false)
	for name, option := range map[string]connect.ClientOption{"Connect": connect.WithProtoJSON(), "gRPC-Web": connect.WithGRPCWeb(), "binary": connect.WithHTTPGet()} {
		index, err := hushv1connect.NewColonelServiceClient(s.client(who), s.url, option).GetIndex(t.Context(), &hushv1.GetIndexRequest{})
		if err != nil {
			t.Fatalf("GetIndex by %s: got %v, want no error", name, err)
		}
		if diff := cmp.Diff(want, index.GetNodes(), protocmp.Transform()); diff != "" {
			t.Errorf("GetIndex by %s: nodes: -want +got\n%s", name, diff)
		}
	}
	_, err := hushv1connect.NewColonelServiceClient(s.client(&browser{}), s.url).GetIndex(t.Context(), &hushv1.GetIndexRequest{})
	if connect.CodeOf(err) != connect.CodeUnimplemented {
		t.Errorf("GetIndex without an account: got %v, want it not to be there", err)
	}
	wantNodesJSON(t, s, who)
}

// wantNodesJSON fails the test unless plain JSON has the names that the
// description gives to the fields of a node.
func wantNodesJSON(t *testing.T, s *testServer, who *browser) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+hushv1connect.ColonelServiceGetIndexProcedure, bytes.NewReader([]byte("{}")))
	if err != nil {
		t.Fatalf("NewRequest: got %v, want no error", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client(who).Do(req)
	if err != nil {
		t.Fatalf("POST GetIndex: got %v, want no error", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("ReadAll: got %v, want no error", err)
	}
	var index struct {
		Nodes []map[string]any `json:"nodes"`
	}
	if err := json.Unmarshal(body, &index); err != nil || len(index.Nodes) != 2 {
		t.Fatalf("POST GetIndex: got %v, %d nodes, want no error, 2", err, len(index.Nodes))
	}
	for _, field := range []string{"number", "name", "version", "startTime", "heartbeatTime", "clockOffset", "works", "responding", "live"} {
		if _, ok := index.Nodes[1][field]; !ok {
			t.Errorf("POST GetIndex: got %v, want the field %s", index.Nodes[1], field)
		}
	}
}
