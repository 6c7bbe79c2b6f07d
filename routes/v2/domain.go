package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/params"
	"hush/routes/version"
)

func addDomainInput() call.Input[hushv1.AddDomainRequest] {
	return call.Fill(call.Nothing[hushv1.AddDomainRequest],
		params.Field{Name: "domain", Form: params.FormText, Becomes: "domain", Required: true})
}

func decodeGetDomain(req *call.Request) (*hushv1.GetDomainRequest, error) {
	return &hushv1.GetDomainRequest{Domain: req.Key}, nil
}

func decodeRemoveDomain(req *call.Request) (*hushv1.RemoveDomainRequest, error) {
	return &hushv1.RemoveDomainRequest{Domain: req.Key}, nil
}

func decodeVerifyDomain(req *call.Request) (*hushv1.VerifyDomainRequest, error) {
	return &hushv1.VerifyDomainRequest{Domain: req.Key}, nil
}

func decodeGetBrand(req *call.Request) (*hushv1.GetDomainBrandRequest, error) {
	return &hushv1.GetDomainBrandRequest{Domain: req.Key}, nil
}

// domainRecord is a claimed name.
type domainRecord struct {
	Identifier         string        `json:"identifier"`
	Domainid           string        `json:"domainid"`
	DisplayDomain      string        `json:"display_domain"`
	Custid             string        `json:"custid"`
	BaseDomain         string        `json:"base_domain"`
	Subdomain          string        `json:"subdomain"`
	TRD                string        `json:"trd"`
	TLD                string        `json:"tld"`
	SLD                string        `json:"sld"`
	IsApex             bool          `json:"is_apex"`
	OriginalValue      string        `json:"_original_value"`
	TXTValidationHost  string        `json:"txt_validation_host"`
	TXTValidationValue string        `json:"txt_validation_value"`
	Status             string        `json:"status"`
	Verified           bool          `json:"verified"`
	Resolving          bool          `json:"resolving"`
	Checks             []domainCheck `json:"checks"`
	VHost              vhost         `json:"vhost"`
	Brand              brandRecord   `json:"brand"`
	Created            int64         `json:"created"`
	Updated            int64         `json:"updated"`
}

// vhost is what clients of a hosting service expect.
type vhost struct {
	IncomingAddress   string `json:"incoming_address,omitempty"`
	IsResolving       bool   `json:"is_resolving"`
	LastMonitoredUnix int64  `json:"last_monitored_unix"`
	Status            string `json:"status,omitempty"`
}

type domainCheck struct {
	Kind     string   `json:"kind"`
	Passed   bool     `json:"passed"`
	Name     string   `json:"name"`
	Expected []string `json:"expected"`
	Found    []string `json:"found"`
	Problem  string   `json:"problem"`
	Time     int64    `json:"time"`
}

func newDomainRecord(d *hushv1.Domain) domainRecord {
	record := domainRecord{
		Identifier: d.GetDomainId(), Domainid: d.GetDomainId(), DisplayDomain: d.GetDisplayDomain(), Custid: d.GetCustid(),
		BaseDomain: d.GetBaseDomain(), Subdomain: d.GetSubdomain(), TRD: d.GetTrd(), TLD: d.GetTld(), SLD: d.GetSld(),
		IsApex: d.GetIsApex(), OriginalValue: d.GetDisplayDomain(),
		TXTValidationHost: d.GetTxtValidationHost(), TXTValidationValue: d.GetTxtValidationValue(),
		Status: domainWord(d), Verified: d.GetState() == hushv1.DomainState_DOMAIN_STATE_VERIFIED,
		Resolving: d.GetResolving(), Checks: []domainCheck{},
		VHost: vhost{
			IncomingAddress: d.GetDisplayDomain(), IsResolving: d.GetResolving(),
			LastMonitoredUnix: d.GetCheckTime().GetSeconds(), Status: domainWord(d),
		},
		Brand:   newBrandRecord(d),
		Created: d.GetCreateTime().GetSeconds(), Updated: d.GetUpdateTime().GetSeconds(),
	}
	for _, check := range d.GetChecks() {
		record.Checks = append(record.Checks, newDomainCheck(check))
	}
	return record
}

func newDomainCheck(c *hushv1.DomainCheck) domainCheck {
	kind := "txt"
	if c.GetKind() == hushv1.DomainCheck_KIND_ADDRESS {
		kind = "address"
	}
	return domainCheck{
		Kind: kind, Passed: c.GetPassed(), Name: c.GetName(), Expected: version.NotNull(c.GetExpected()),
		Found: version.NotNull(c.GetFound()), Problem: c.GetProblem(), Time: c.GetTime().GetSeconds(),
	}
}

// domainWord returns the state of a claim: verified by its TXT record,
// resolving (it resolves to this service, but the record is missing), pending,
// or suspended.
func domainWord(d *hushv1.Domain) string {
	switch d.GetState() {
	case hushv1.DomainState_DOMAIN_STATE_VERIFIED:
		return "verified"
	case hushv1.DomainState_DOMAIN_STATE_SUSPENDED:
		return "suspended"
	default:
		if d.GetResolving() {
			return "resolving"
		}
		return "pending"
	}
}

// clusterDetails is empty: names resolve to this service by DNS alone.
type clusterDetails struct {
	Cluster cluster `json:"cluster"`
	Message string  `json:"msg,omitempty"`
}

type cluster struct {
	Type        *string `json:"type"`
	ClusterIP   *string `json:"cluster_ip"`
	ClusterName *string `json:"cluster_name"`
	ClusterHost *string `json:"cluster_host"`
	VHostTarget *string `json:"vhost_target"`
}

func encodeListDomains(req *call.Request, res *hushv1.ListDomainsResponse) any {
	records := make([]domainRecord, 0, len(res.GetDomains()))
	for _, d := range res.GetDomains() {
		records = append(records, newDomainRecord(d))
	}
	return newListEnvelope(req, records, clusterDetails{})
}

func encodeDomain(req *call.Request, d *hushv1.Domain) envelope {
	return newEnvelope(req, newDomainRecord(d), clusterDetails{})
}

func encodeAddDomain(req *call.Request, res *hushv1.AddDomainResponse) any {
	return encodeDomain(req, res.GetDomain())
}

func encodeGetDomain(req *call.Request, res *hushv1.GetDomainResponse) any {
	return encodeDomain(req, res.GetDomain())
}

func encodeVerifyDomain(req *call.Request, res *hushv1.VerifyDomainResponse) any {
	return encodeDomain(req, res.GetDomain())
}

type removedAnswer struct {
	envelope
	Message string `json:"message"`
}

func encodeRemoveDomain(req *call.Request, res *hushv1.RemoveDomainResponse) any {
	return removedAnswer{newEnvelope(req, struct{}{}, clusterDetails{}), "Removed " + res.GetDisplayDomain()}
}

// domainAndBrand is the domain for clients of one age and the brand for those of
// another.
type domainAndBrand struct {
	domainRecord
	brandRecord
	Brand brandRecord `json:"brand"`
}

func encodeBrand(req *call.Request, d *hushv1.Domain) envelope {
	record := newDomainRecord(d)
	return newEnvelope(req, domainAndBrand{record, record.Brand, record.Brand}, clusterDetails{})
}

func encodeGetBrand(req *call.Request, res *hushv1.GetDomainBrandResponse) any {
	return encodeBrand(req, res.GetDomain())
}

func encodeUpdateBrand(req *call.Request, res *hushv1.UpdateDomainBrandResponse) any {
	return encodeBrand(req, res.GetDomain())
}
