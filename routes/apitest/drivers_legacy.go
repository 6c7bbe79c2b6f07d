package apitest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// legacyClient is what the two legacy drivers share.
type legacyClient struct {
	protocol string
	Prefix   string
	Client   *http.Client
}

func (c *legacyClient) Name() string { return c.protocol }
func (c *legacyClient) Legacy() bool { return true }

// do sends a form and reads the answer into out.
func (c *legacyClient) do(ctx context.Context, method, path string, form url.Values, out any) Answer {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Prefix+path, body)
	if err != nil {
		return Answer{Outcome: OutcomeLost, Text: err.Error()}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := c.Client.Do(req)
	if err != nil {
		return Answer{Outcome: OutcomeLost, Text: err.Error()}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return Answer{Outcome: OutcomeLost, Text: err.Error()}
	}
	a := Answer{Outcome: OutcomeOK, Text: res.Status + " " + string(raw)}
	if res.StatusCode != http.StatusOK {
		return refused(a, res, raw)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return Answer{Outcome: OutcomeOther, Text: a.Text + ": " + err.Error()}
	}
	return a
}

// refused reads a legacy refusal. Version 1 answers 404 for most of them and
// the honest status in a header.
func refused(a Answer, res *http.Response, raw []byte) Answer {
	var body struct{ Message string }
	if err := json.Unmarshal(raw, &body); err != nil {
		a.Outcome = OutcomeOther
		return a
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	a.RetryAfter = time.Duration(seconds) * time.Second
	status := res.StatusCode
	if honest, err := strconv.Atoi(res.Header.Get("X-OTS-Intended-Status")); err == nil {
		status = honest
	}
	switch {
	case status == http.StatusServiceUnavailable:
		a.Outcome = OutcomeUnavailable
	case status == http.StatusTooManyRequests:
		a.Outcome = OutcomeLimited
	case status == http.StatusRequestEntityTooLarge:
		a.Outcome = OutcomeTooLarge
	case body.Message == "Unknown secret":
		a.Outcome = OutcomeUnknown
	case body.Message == "Not authorized":
		a.Outcome = OutcomeUnauthorized
	case body.Message == "Double check that passphrase":
		a.Outcome = OutcomePassphrase
	case status == http.StatusUnprocessableEntity, status == http.StatusBadRequest:
		a.Outcome = OutcomeInvalid
	default:
		a.Outcome = OutcomeOther
	}
	return a
}

func wishForm(w Terms) url.Values {
	form := url.Values{"secret": {w.Secret}}
	if w.TTL != nil {
		form.Set("ttl", strconv.FormatFloat(w.TTL.Seconds(), 'f', -1, 64))
	}
	if w.Passphrase != "" {
		form.Set("passphrase", w.Passphrase)
	}
	if w.ShareDomain != "" {
		form.Set("share_domain", w.ShareDomain)
	}
	for _, recipient := range w.Recipients {
		form.Add("recipient[]", recipient)
	}
	return form
}

// V1Driver speaks the first version of the API.
type V1Driver struct{ legacyClient }

// NewV1Driver speaks version 1 with the service at url.
func NewV1Driver(name string, client *http.Client, url string) *V1Driver {
	return &V1Driver{legacyClient{name, url + "/api/v1", client}}
}

// WrongPassphrase is part of Driver. Version 1 hides a wrong passphrase, to the byte.
func (d *V1Driver) WrongPassphrase() Outcome { return OutcomeUnknown }

type v1Receipt struct {
	SecretKey          string `json:"secret_key"`
	MetadataKey        string `json:"metadata_key"`
	State              string `json:"state"`
	TTL                int64  `json:"ttl"`
	PassphraseRequired bool   `json:"passphrase_required"`
}

func (r v1Receipt) into(a Answer) Answer {
	a.SecretKey, a.MetadataKey, a.State = r.SecretKey, r.MetadataKey, r.State
	a.TTL, a.Passphrase = time.Duration(r.TTL)*time.Second, r.PassphraseRequired
	return a
}

func (d *V1Driver) Conceal(ctx context.Context, w Terms) Answer {
	var res v1Receipt
	a := d.do(ctx, http.MethodPost, "/share", wishForm(w), &res)
	return res.into(a)
}

func (d *V1Driver) Get(context.Context, string) Answer    { return Answer{Outcome: OutcomeNone} }
func (d *V1Driver) Status(context.Context, string) Answer { return Answer{Outcome: OutcomeNone} }

func (d *V1Driver) Reveal(ctx context.Context, key, passphrase string) Answer {
	var res struct{ Value string }
	a := d.do(ctx, http.MethodPost, "/secret/"+url.PathEscape(key), url.Values{"passphrase": {passphrase}}, &res)
	a.Value = res.Value
	return a
}

func (d *V1Driver) Burn(ctx context.Context, key, passphrase string) Answer {
	var res struct{ State v1Receipt }
	a := d.do(ctx, http.MethodPost, "/private/"+url.PathEscape(key)+"/burn", url.Values{"passphrase": {passphrase}}, &res)
	return res.State.into(a)
}

func (d *V1Driver) Metadata(ctx context.Context, key string) Answer {
	var res v1Receipt
	a := d.do(ctx, http.MethodGet, "/private/"+url.PathEscape(key), nil, &res)
	return res.into(a)
}

// V2Driver speaks the second version of the API.
type V2Driver struct{ legacyClient }

// NewV2Driver speaks version 2 with the service at url.
func NewV2Driver(name string, client *http.Client, url string) *V2Driver {
	return &V2Driver{legacyClient{name, url + "/api/v2", client}}
}

func (d *V2Driver) WrongPassphrase() Outcome { return OutcomePassphrase }

type v2Record struct {
	Key           string `json:"key"`
	SecretKey     string `json:"secret_key"`
	State         string `json:"state"`
	SecretTTL     int64  `json:"secret_ttl"`
	HasPassphrase bool   `json:"has_passphrase"`
	SecretValue   string `json:"secret_value"`
}

func (r v2Record) into(a Answer) Answer {
	a.State, a.TTL, a.Passphrase = r.State, time.Duration(r.SecretTTL)*time.Second, r.HasPassphrase
	if a.State == "unknown" {
		a.Outcome = OutcomeUnknown
	}
	return a
}

func (d *V2Driver) Conceal(ctx context.Context, w Terms) Answer {
	var res struct {
		Record struct{ Metadata, Secret v2Record }
	}
	a := d.do(ctx, http.MethodPost, "/secret/conceal", wishForm(w), &res)
	a = res.Record.Metadata.into(a)
	a.MetadataKey, a.SecretKey = res.Record.Metadata.Key, res.Record.Secret.Key
	return a
}

func (d *V2Driver) secret(ctx context.Context, method, path string, form url.Values) Answer {
	var res struct{ Record v2Record }
	a := d.do(ctx, method, path, form, &res)
	a = res.Record.into(a)
	a.SecretKey, a.Value = res.Record.Key, res.Record.SecretValue
	return a
}

func (d *V2Driver) Get(ctx context.Context, key string) Answer {
	return d.secret(ctx, http.MethodGet, "/secret/"+url.PathEscape(key), nil)
}

func (d *V2Driver) Reveal(ctx context.Context, key, passphrase string) Answer {
	form := url.Values{"continue": {"true"}, "passphrase": {passphrase}}
	return d.secret(ctx, http.MethodPost, "/secret/"+url.PathEscape(key)+"/reveal", form)
}

func (d *V2Driver) Status(ctx context.Context, key string) Answer {
	return d.secret(ctx, http.MethodGet, "/secret/"+url.PathEscape(key)+"/status", nil)
}

func (d *V2Driver) receipt(ctx context.Context, method, path string, form url.Values) Answer {
	var res struct{ Record v2Record }
	a := d.do(ctx, method, path, form, &res)
	a = res.Record.into(a)
	a.MetadataKey, a.SecretKey = res.Record.Key, res.Record.SecretKey
	return a
}

func (d *V2Driver) Burn(ctx context.Context, key, passphrase string) Answer {
	form := url.Values{"continue": {"true"}, "passphrase": {passphrase}}
	return d.receipt(ctx, http.MethodPost, "/private/"+url.PathEscape(key)+"/burn", form)
}

func (d *V2Driver) Metadata(ctx context.Context, key string) Answer {
	return d.receipt(ctx, http.MethodGet, "/private/"+url.PathEscape(key), nil)
}
