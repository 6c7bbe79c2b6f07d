package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, name, want string
		ok               bool
	}{
		{`{"secret_key":"abc"}`, "secret_key", "abc", true},
		{`{"secret_key" : "abc"}`, "secret_key", "abc", true},
		{"{\"secret_key\":\n\t\"abc\"}", "secret_key", "abc", true},
		{`{"my_secret_key":"no","secret_key":"abc"}`, "secret_key", "abc", true},
		{`{"x":"secret_key","secret_key":"abc"}`, "secret_key", "abc", true},
		{`{"secret_key":7,"y":{"secret_key":"abc"}}`, "secret_key", "abc", true},
		{`{"value":""}`, "value", "", true},
		{`{"value":"a\"b"}`, "value", `a\`, true},
		{`{"secret_key":null}`, "secret_key", "", false},
		{`{"secret_key":"abc`, "secret_key", "", false},
		{`secret_key":"abc"`, "secret_key", "", false},
		{`"secret_key"`, "secret_key", "", false},
		{``, "value", "", false},
	} {
		got, ok := field([]byte(test.text), test.name)
		if string(got) != test.want || ok != test.ok {
			t.Errorf("field(%s, %s): got %q, %v, want %q, %v", test.text, test.name, got, ok, test.want, test.ok)
		}
	}
}

// Every request has to be one that net/http reads as it was meant.
func TestTemplates(t *testing.T) {
	t.Parallel()
	cfg := config{size: 5, ttl: 90 * time.Second}
	server := target{host: "127.0.0.1:7143"}
	k := bytes.Repeat([]byte("k"), keySize)
	for protocol, want := range map[string][2]string{
		protocolV1: {
			"/api/v1/share secret=value&ttl=90",
			"/api/v1/secret/" + string(k) + " ",
		},
		protocolV2: {
			`/api/v2/secret/conceal {"secret":{"secret":"value","ttl":90}}`,
			"/api/v2/secret/" + string(k) + `/reveal {"continue":true}`,
		},
		protocolConnect: {
			`/hush.v1.SecretService/ConcealSecret {"secret":"value","ttl":"90s"}`,
			`/hush.v1.SecretService/RevealSecret {"secretKey":"` + string(k) + `"}`,
		},
	} {
		cfg.protocol = protocol
		c := newHTTPClient(cfg, server, nil)
		for i, request := range [][]byte{c.share.fill([]byte("value")), c.open.fill(k)} {
			r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
			if err != nil {
				t.Errorf("%s request %d: %v\n%s", protocol, i, err, request)
				continue
			}
			body, err := io.ReadAll(r.Body)
			got := r.URL.Path + " " + string(body)
			if err != nil || got != want[i] || r.Host != server.host || r.Method != http.MethodPost {
				t.Errorf("%s request %d: got %q, %v, want %q", protocol, i, got, err, want[i])
			}
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		body, want string
	}{
		{`{"code":"not_found","message":"x"}`, "HTTP 404 not_found"},
		{``, "HTTP 404"},
		{`{"code":"` + strings.Repeat("é", 100) + `"}`, "HTTP 404 " + strings.Repeat("é", 30)},
		{`{"code":"a` + strings.Repeat("é", 100) + `"}`, "HTTP 404 a" + strings.Repeat("é", 29)},
	} {
		got := refusal(answer{status: 404, body: []byte(test.body)}, "code")
		if string(got) != test.want {
			t.Errorf("refusal(%s): got %q, want %q", test.body, got, test.want)
		}
	}
}
