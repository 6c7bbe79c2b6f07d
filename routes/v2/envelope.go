package v2

import (
	"hush/routes/call"
	"hush/routes/version"
)

// envelope wraps every record.
type envelope struct {
	Success bool   `json:"success"`
	Shrimp  string `json:"shrimp"`
	Custid  string `json:"custid"`
	Record  any    `json:"record"`
	Details any    `json:"details"`
}

// listEnvelope wraps several records.
type listEnvelope struct {
	Success bool   `json:"success"`
	Shrimp  string `json:"shrimp"`
	Custid  string `json:"custid"`
	Count   int    `json:"count"`
	Records any    `json:"records"`
	Details any    `json:"details"`
}

func newEnvelope(req *call.Request, record, details any) envelope {
	return envelope{Success: true, Shrimp: req.Shrimp(), Custid: version.Custid(req.Visitor.Custid), Record: record, Details: details}
}

// newListEnvelope wraps several records.
func newListEnvelope[T any](req *call.Request, records []T, details any) listEnvelope {
	return listEnvelope{
		Success: true, Shrimp: req.Shrimp(), Custid: version.Custid(req.Visitor.Custid),
		Count: len(records), Records: records, Details: details,
	}
}
