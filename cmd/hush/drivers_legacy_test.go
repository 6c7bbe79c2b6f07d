package main

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
	prefix   string
	client   *http.Client
}

func (c *legacyClient) name() string { return c.protocol }
func (c *legacyClient) legacy() bool { return true }

// do sends a form and reads the answer into out.
func (c *legacyClient) do(ctx context.Context, method, path string, form url.Values, out any) answer {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, c.prefix+path, body)
	if err != nil {
		return answer{outcome: outcomeLost, text: err.Error()}
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := c.client.Do(req)
	if err != nil {
		return answer{outcome: outcomeLost, text: err.Error()}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{outcome: outcomeLost, text: err.Error()}
	}
	a := answer{outcome: outcomeOK, text: res.Status + " " + string(raw)}
	if res.StatusCode != http.StatusOK {
		return refused(a, res, raw)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return answer{outcome: outcomeOther, text: a.text + ": " + err.Error()}
	}
	return a
}

// refused reads a legacy refusal. Version 1 answers 404 for most of them and
// the honest status in a header.
func refused(a answer, res *http.Response, raw []byte) answer {
	var body struct{ Message string }
	if err := json.Unmarshal(raw, &body); err != nil {
		a.outcome = outcomeOther
		return a
	}
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	a.retryAfter = time.Duration(seconds) * time.Second
	status := res.StatusCode
	if honest, err := strconv.Atoi(res.Header.Get("X-OTS-Intended-Status")); err == nil {
		status = honest
	}
	switch {
	case status == http.StatusServiceUnavailable:
		a.outcome = outcomeUnavailable
	case status == http.StatusTooManyRequests:
		a.outcome = outcomeLimited
	case status == http.StatusRequestEntityTooLarge:
		a.outcome = outcomeTooLarge
	case body.Message == "Unknown secret":
		a.outcome = outcomeUnknown
	case body.Message == "Not authorized":
		a.outcome = outcomeUnauthorized
	case body.Message == "Double check that passphrase":
		a.outcome = outcomePassphrase
	case status == http.StatusUnprocessableEntity, status == http.StatusBadRequest:
		a.outcome = outcomeInvalid
	default:
		a.outcome = outcomeOther
	}
	return a
}

func wishForm(w wish) url.Values {
	form := url.Values{"secret": {w.secret}}
	if w.ttl != nil {
		form.Set("ttl", strconv.FormatFloat(w.ttl.Seconds(), 'f', -1, 64))
	}
	if w.passphrase != "" {
		form.Set("passphrase", w.passphrase)
	}
	if w.shareDomain != "" {
		form.Set("share_domain", w.shareDomain)
	}
	for _, recipient := range w.recipients {
		form.Add("recipient[]", recipient)
	}
	return form
}

// v1Driver speaks the first version of the API.
type v1Driver struct{ legacyClient }

// wrongPassphrase: version 1 hides it, to the byte.
func (d *v1Driver) wrongPassphrase() outcome { return outcomeUnknown }

type v1Receipt struct {
	SecretKey          string `json:"secret_key"`
	MetadataKey        string `json:"metadata_key"`
	State              string `json:"state"`
	TTL                int64  `json:"ttl"`
	PassphraseRequired bool   `json:"passphrase_required"`
}

func (r v1Receipt) into(a answer) answer {
	a.secretKey, a.metadataKey, a.state = r.SecretKey, r.MetadataKey, r.State
	a.ttl, a.passphrase = time.Duration(r.TTL)*time.Second, r.PassphraseRequired
	return a
}

func (d *v1Driver) conceal(ctx context.Context, w wish) answer {
	var res v1Receipt
	a := d.do(ctx, http.MethodPost, "/share", wishForm(w), &res)
	return res.into(a)
}

func (d *v1Driver) get(context.Context, string) answer    { return answer{outcome: outcomeNone} }
func (d *v1Driver) status(context.Context, string) answer { return answer{outcome: outcomeNone} }

func (d *v1Driver) reveal(ctx context.Context, key, passphrase string) answer {
	var res struct{ Value string }
	a := d.do(ctx, http.MethodPost, "/secret/"+url.PathEscape(key), url.Values{"passphrase": {passphrase}}, &res)
	a.value = res.Value
	return a
}

func (d *v1Driver) burn(ctx context.Context, key, passphrase string) answer {
	var res struct{ State v1Receipt }
	a := d.do(ctx, http.MethodPost, "/private/"+url.PathEscape(key)+"/burn", url.Values{"passphrase": {passphrase}}, &res)
	return res.State.into(a)
}

func (d *v1Driver) metadata(ctx context.Context, key string) answer {
	var res v1Receipt
	a := d.do(ctx, http.MethodGet, "/private/"+url.PathEscape(key), nil, &res)
	return res.into(a)
}

// v2Driver speaks the second version of the API.
type v2Driver struct{ legacyClient }

func (d *v2Driver) wrongPassphrase() outcome { return outcomePassphrase }

type v2Record struct {
	Key           string `json:"key"`
	SecretKey     string `json:"secret_key"`
	State         string `json:"state"`
	SecretTTL     int64  `json:"secret_ttl"`
	HasPassphrase bool   `json:"has_passphrase"`
	SecretValue   string `json:"secret_value"`
}

func (r v2Record) into(a answer) answer {
	a.state, a.ttl, a.passphrase = r.State, time.Duration(r.SecretTTL)*time.Second, r.HasPassphrase
	if a.state == "unknown" {
		a.outcome = outcomeUnknown
	}
	return a
}

func (d *v2Driver) conceal(ctx context.Context, w wish) answer {
	var res struct {
		Record struct{ Metadata, Secret v2Record }
	}
	a := d.do(ctx, http.MethodPost, "/secret/conceal", wishForm(w), &res)
	a = res.Record.Metadata.into(a)
	a.metadataKey, a.secretKey = res.Record.Metadata.Key, res.Record.Secret.Key
	return a
}

func (d *v2Driver) secret(ctx context.Context, method, path string, form url.Values) answer {
	var res struct{ Record v2Record }
	a := d.do(ctx, method, path, form, &res)
	a = res.Record.into(a)
	a.secretKey, a.value = res.Record.Key, res.Record.SecretValue
	return a
}

func (d *v2Driver) get(ctx context.Context, key string) answer {
	return d.secret(ctx, http.MethodGet, "/secret/"+url.PathEscape(key), nil)
}

func (d *v2Driver) reveal(ctx context.Context, key, passphrase string) answer {
	form := url.Values{"continue": {"true"}, "passphrase": {passphrase}}
	return d.secret(ctx, http.MethodPost, "/secret/"+url.PathEscape(key)+"/reveal", form)
}

func (d *v2Driver) status(ctx context.Context, key string) answer {
	return d.secret(ctx, http.MethodGet, "/secret/"+url.PathEscape(key)+"/status", nil)
}

func (d *v2Driver) receipt(ctx context.Context, method, path string, form url.Values) answer {
	var res struct{ Record v2Record }
	a := d.do(ctx, method, path, form, &res)
	a = res.Record.into(a)
	a.metadataKey, a.secretKey = res.Record.Key, res.Record.SecretKey
	return a
}

func (d *v2Driver) burn(ctx context.Context, key, passphrase string) answer {
	form := url.Values{"continue": {"true"}, "passphrase": {passphrase}}
	return d.receipt(ctx, http.MethodPost, "/private/"+url.PathEscape(key)+"/burn", form)
}

func (d *v2Driver) metadata(ctx context.Context, key string) answer {
	return d.receipt(ctx, http.MethodGet, "/private/"+url.PathEscape(key), nil)
}
