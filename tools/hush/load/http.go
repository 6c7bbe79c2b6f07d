package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// dialect says how requests look in one of the protocols that hush-load
// writes itself, and where the answers hold what it needs.
type dialect struct {
	contentType string
	concealPath string
	concealBody string // with hole where the value goes
	revealPath  string // hole may stand here
	revealBody  string // or here
	keyField    string
	valueField  string
	reasonField string // names the error in an answer that is none
}

// hole marks the place in a dialect's text that changes between requests. It
// holds a byte that neither URLs nor bodies contain.
const hole = "\x00"

// lifetime marks where the seconds of a secret's lifetime go.
const lifetime = "\x01"

var dialects = map[string]dialect{
	protocolV1: {
		contentType: "application/x-www-form-urlencoded",
		concealPath: "/api/v1/share",
		concealBody: "secret=" + hole + "&ttl=" + lifetime,
		revealPath:  "/api/v1/secret/" + hole,
		keyField:    "secret_key",
		valueField:  "value",
		reasonField: "message",
	},
	protocolV2: {
		contentType: "application/json",
		concealPath: "/api/v2/secret/conceal",
		concealBody: `{"secret":{"secret":"` + hole + `","ttl":` + lifetime + `}}`,
		revealPath:  "/api/v2/secret/" + hole + "/reveal",
		revealBody:  `{"continue":true}`,
		keyField:    "secret_key",
		valueField:  "secret_value",
		reasonField: "message",
	},
	protocolConnect: {
		contentType: "application/json",
		concealPath: "/hush.v1.SecretService/ConcealSecret",
		concealBody: `{"secret":"` + hole + `","ttl":"` + lifetime + `s"}`,
		revealPath:  "/hush.v1.SecretService/RevealSecret",
		revealBody:  `{"secretKey":"` + hole + `"}`,
		keyField:    "secretKey",
		valueField:  "value",
		reasonField: "code",
	},
}

// template is a whole request with a hole of fixed size, filled in place.
type template struct {
	text []byte
	at   int
	size int
}

// newTemplate builds the request once: header, length and all.
func newTemplate(host, path, contentType, body string, size int) template {
	length := len(strings.Replace(body, hole, strings.Repeat(".", size), 1))
	text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: hush-load\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		path, host, contentType, length, body)
	before, after, _ := strings.Cut(text, hole)
	return template{
		text: []byte(before + strings.Repeat(".", size) + after),
		at:   len(before),
		size: size,
	}
}

// fill returns the request for value, valid until the next fill.
func (t template) fill(value []byte) []byte {
	copy(t.text[t.at:t.at+t.size], value)
	return t.text
}

// httpClient speaks a dialect over its own connection.
type httpClient struct {
	wire    wire
	dialect dialect
	share   template
	open    template
}

func newHTTPClient(cfg config, server target, from net.Addr) *httpClient {
	d := dialects[cfg.protocol]
	conceal := strings.Replace(d.concealBody, lifetime, strconv.FormatInt(int64(cfg.ttl/time.Second), 10), 1)
	return &httpClient{
		wire:    wire{addr: server.addr, from: from},
		dialect: d,
		share:   newTemplate(server.host, d.concealPath, d.contentType, conceal, cfg.size),
		open:    newTemplate(server.host, d.revealPath, d.contentType, d.revealBody, keySize),
	}
}

func (c *httpClient) conceal(ctx context.Context, value []byte) (key, error) {
	body, err := c.call(ctx, c.share.fill(value))
	if err != nil {
		return key{}, err
	}
	text, ok := field(body, c.dialect.keyField)
	if !ok || len(text) != keySize {
		return key{}, errNoKey
	}
	return key(text), nil
}

func (c *httpClient) reveal(ctx context.Context, k key) ([]byte, error) {
	body, err := c.call(ctx, c.open.fill(k[:]))
	if err != nil {
		return nil, err
	}
	value, ok := field(body, c.dialect.valueField)
	if !ok {
		return nil, errNoValue
	}
	return value, nil
}

// call sends request and returns the body of a 200.
func (c *httpClient) call(ctx context.Context, request []byte) ([]byte, error) {
	got, err := c.wire.do(ctx, request)
	if err != nil {
		return nil, err
	}
	if got.status != 200 {
		return nil, refusal(got, c.dialect.reasonField)
	}
	return got.body, nil
}

// refusal is an answer with another status, with as much of its reason as
// makes a kind of error and not one kind for each answer.
func refusal(got answer, reasonField string) failure {
	const most = 60
	reason, _ := field(got.body, reasonField)
	reason = bytes.ToValidUTF8(reason[:min(len(reason), most)], nil)
	return failure(strings.TrimSpace(fmt.Sprintf("HTTP %d %s", got.status, reason)))
}

func (c *httpClient) close() { c.wire.close() }
