package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
)

// fake is a server of all protocols that keeps secrets in a map. Its
// RPCs are the generated handler's, so the hand-written client meets the real
// encodings.
type fake struct {
	hushv1connect.UnimplementedSecretServiceHandler

	url      string
	spoil    bool // reveal answers something else
	limit    int  // creations before it refuses; zero for none
	onCreate func(n int)

	mu      sync.Mutex
	n       int
	secrets map[string]string
	from    map[string]bool // addresses that secrets came from
}

var (
	errLimited = connect.NewError(connect.CodeResourceExhausted, errors.New("slow down"))
	errUnknown = connect.NewError(connect.CodeNotFound, errors.New("unknown secret"))
)

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{secrets: make(map[string]string), from: make(map[string]bool)}
	mux := http.NewServeMux()
	mux.Handle(hushv1connect.NewSecretServiceHandler(f))
	mux.HandleFunc("POST /api/v1/share", f.share)
	mux.HandleFunc("POST /api/v1/secret/{key}", f.open)
	mux.HandleFunc("POST /api/v2/secret/conceal", f.shareV2)
	mux.HandleFunc("POST /api/v2/secret/{key}/reveal", f.openV2)
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fake) created() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

func (f *fake) callers() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.from))
}

func (f *fake) waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.secrets)
}

func (f *fake) put(value string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.limit > 0 && f.n >= f.limit {
		return "", errLimited
	}
	f.n++
	if f.onCreate != nil {
		f.onCreate(f.n)
	}
	k := fmt.Sprintf("%0*d", keySize, f.n)
	f.secrets[k] = value
	return k, nil
}

func (f *fake) take(k string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	value, ok := f.secrets[k]
	if !ok {
		return "", errUnknown
	}
	delete(f.secrets, k)
	if f.spoil {
		value = "spoiled"
	}
	return value, nil
}

func (f *fake) ConcealSecret(_ context.Context, req *hushv1.ConcealSecretRequest) (*hushv1.ConcealSecretResponse, error) {
	k, err := f.put(req.GetSecret())
	if err != nil {
		return nil, err
	}
	return &hushv1.ConcealSecretResponse{
		Metadata: &hushv1.Metadata{MetadataKey: "metadata", SecretKey: k},
		Secret:   &hushv1.Secret{SecretKey: k},
	}, nil
}

func (f *fake) RevealSecret(_ context.Context, req *hushv1.RevealSecretRequest) (*hushv1.RevealSecretResponse, error) {
	value, err := f.take(req.GetSecretKey())
	if err != nil {
		return nil, err
	}
	return &hushv1.RevealSecretResponse{Secret: &hushv1.Secret{SecretKey: req.GetSecretKey()}, Value: value}, nil
}

func (f *fake) share(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	f.mu.Lock()
	f.from[host] = true
	f.mu.Unlock()
	k, err := f.put(r.PostFormValue("secret"))
	if err != nil || r.PostFormValue("ttl") != "3600" {
		answerJSON(w, http.StatusTooManyRequests, map[string]any{"message": "Slow down"})
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"metadata_key": "metadata", "secret_key": k, "ttl": 3600})
}

func (f *fake) open(w http.ResponseWriter, r *http.Request) {
	k := r.PathValue("key")
	value, err := f.take(k)
	if err != nil {
		answerJSON(w, http.StatusNotFound, map[string]any{"message": "Unknown secret", "secret_key": k})
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"value": value, "secret_key": k, "share_domain": ""})
}

func (f *fake) shareV2(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Secret struct {
			Secret string `json:"secret"`
			TTL    int    `json:"ttl"`
		} `json:"secret"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	k := ""
	if err == nil && body.Secret.TTL == 3600 {
		k, err = f.put(body.Secret.Secret)
	}
	if err != nil || k == "" {
		answerJSON(w, http.StatusTooManyRequests, map[string]any{"message": "Slow down"})
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"record": map[string]any{"metadata": map[string]any{"key": "metadata", "secret_key": k}}})
}

func (f *fake) openV2(w http.ResponseWriter, r *http.Request) {
	value, err := f.take(r.PathValue("key"))
	if err != nil {
		answerJSON(w, http.StatusNotFound, map[string]any{"message": "Unknown secret"})
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"record": map[string]any{"key": r.PathValue("key"), "secret_value": value}})
}

func answerJSON(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
