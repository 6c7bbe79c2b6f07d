package v2

import (
	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

func decodeAddDomain(req *call.Request) (*hushv1.AddDomainRequest, error) {
	name, err := req.Params.Text("domain")
	if err != nil {
		return nil, err
	}
	return &hushv1.AddDomainRequest{Domain: name}, nil
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

// v2Domain is a claimed name.
type v2Domain struct {
	Identifier         string          `json:"identifier"`
	Domainid           string          `json:"domainid"`
	DisplayDomain      string          `json:"display_domain"`
	Custid             string          `json:"custid"`
	BaseDomain         string          `json:"base_domain"`
	Subdomain          string          `json:"subdomain"`
	TRD                string          `json:"trd"`
	TLD                string          `json:"tld"`
	SLD                string          `json:"sld"`
	IsApex             bool            `json:"is_apex"`
	OriginalValue      string          `json:"_original_value"`
	TXTValidationHost  string          `json:"txt_validation_host"`
	TXTValidationValue string          `json:"txt_validation_value"`
	Status             string          `json:"status"`
	Verified           bool            `json:"verified"`
	Resolving          bool            `json:"resolving"`
	Checks             []v2DomainCheck `json:"checks"`
	VHost              v2VHost         `json:"vhost"`
	Brand              v2Brand         `json:"brand"`
	Created            int64           `json:"created"`
	Updated            int64           `json:"updated"`
}

// v2VHost is what clients of a hosting service expect.
type v2VHost struct {
	IncomingAddress   string `json:"incoming_address,omitempty"`
	IsResolving       bool   `json:"is_resolving"`
	LastMonitoredUnix int64  `json:"last_monitored_unix"`
	Status            string `json:"status,omitempty"`
}

type v2DomainCheck struct {
	Kind     string   `json:"kind"`
	Passed   bool     `json:"passed"`
	Name     string   `json:"name"`
	Expected []string `json:"expected"`
	Found    []string `json:"found"`
	Problem  string   `json:"problem"`
	Time     int64    `json:"time"`
}

func newV2Domain(d *hushv1.Domain) v2Domain {
	record := v2Domain{
		Identifier: d.GetDomainId(), Domainid: d.GetDomainId(), DisplayDomain: d.GetDisplayDomain(), Custid: d.GetCustid(),
		BaseDomain: d.GetBaseDomain(), Subdomain: d.GetSubdomain(), TRD: d.GetTrd(), TLD: d.GetTld(), SLD: d.GetSld(),
		IsApex: d.GetIsApex(), OriginalValue: d.GetDisplayDomain(),
		TXTValidationHost: d.GetTxtValidationHost(), TXTValidationValue: d.GetTxtValidationValue(),
		Status: domainWord(d), Verified: d.GetState() == hushv1.DomainState_DOMAIN_STATE_VERIFIED,
		Resolving: d.GetResolving(), Checks: []v2DomainCheck{},
		VHost: v2VHost{
			IncomingAddress: d.GetDisplayDomain(), IsResolving: d.GetResolving(),
			LastMonitoredUnix: version.Epoch(d.GetCheckTime()), Status: domainWord(d),
		},
		Brand:   newV2Brand(d),
		Created: version.Epoch(d.GetCreateTime()), Updated: version.Epoch(d.GetUpdateTime()),
	}
	for _, check := range d.GetChecks() {
		record.Checks = append(record.Checks, newV2DomainCheck(check))
	}
	return record
}

func newV2DomainCheck(c *hushv1.DomainCheck) v2DomainCheck {
	kind := "txt"
	if c.GetKind() == hushv1.DomainCheck_KIND_ADDRESS {
		kind = "address"
	}
	return v2DomainCheck{
		Kind: kind, Passed: c.GetPassed(), Name: c.GetName(), Expected: version.NotNull(c.GetExpected()),
		Found: version.NotNull(c.GetFound()), Problem: c.GetProblem(), Time: version.Epoch(c.GetTime()),
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

// v2ClusterDetails is empty: names resolve to this service by DNS alone.
type v2ClusterDetails struct {
	Cluster v2Cluster `json:"cluster"`
	Message string    `json:"msg,omitempty"`
}

type v2Cluster struct {
	Type        *string `json:"type"`
	ClusterIP   *string `json:"cluster_ip"`
	ClusterName *string `json:"cluster_name"`
	ClusterHost *string `json:"cluster_host"`
	VHostTarget *string `json:"vhost_target"`
}

func v2ListDomains(req *call.Request, res *hushv1.ListDomainsResponse) any {
	records := make([]v2Domain, 0, len(res.GetDomains()))
	for _, d := range res.GetDomains() {
		records = append(records, newV2Domain(d))
	}
	return listing(req, records, v2ClusterDetails{})
}

func domain(req *call.Request, d *hushv1.Domain) v2Envelope {
	return envelope(req, newV2Domain(d), v2ClusterDetails{})
}

func v2AddDomain(req *call.Request, res *hushv1.AddDomainResponse) any {
	return domain(req, res.GetDomain())
}

func v2GetDomain(req *call.Request, res *hushv1.GetDomainResponse) any {
	return domain(req, res.GetDomain())
}

func v2VerifyDomain(req *call.Request, res *hushv1.VerifyDomainResponse) any {
	return domain(req, res.GetDomain())
}

type v2RemovedAnswer struct {
	v2Envelope
	Message string `json:"message"`
}

func v2RemoveDomain(req *call.Request, res *hushv1.RemoveDomainResponse) any {
	return v2RemovedAnswer{envelope(req, struct{}{}, v2ClusterDetails{}), "Removed " + res.GetDisplayDomain()}
}

// v2BrandRecord is the domain for clients of one age and the brand for those of
// another.
type v2BrandRecord struct {
	v2Domain
	v2Brand
	Brand v2Brand `json:"brand"`
}

func brand(req *call.Request, d *hushv1.Domain) v2Envelope {
	record := newV2Domain(d)
	return envelope(req, v2BrandRecord{record, record.Brand, record.Brand}, v2ClusterDetails{})
}

func v2GetBrand(req *call.Request, res *hushv1.GetDomainBrandResponse) any {
	return brand(req, res.GetDomain())
}

func v2UpdateBrand(req *call.Request, res *hushv1.UpdateDomainBrandResponse) any {
	return brand(req, res.GetDomain())
}
