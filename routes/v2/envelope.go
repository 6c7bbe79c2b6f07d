package v2

import (
	"hush/routes/call"
	"hush/routes/version"
)

// v2Envelope wraps every record.
type v2Envelope struct {
	Success bool   `json:"success"`
	Shrimp  string `json:"shrimp"`
	Custid  string `json:"custid"`
	Record  any    `json:"record"`
	Details any    `json:"details"`
}

// v2List wraps several records.
type v2List struct {
	Success bool   `json:"success"`
	Shrimp  string `json:"shrimp"`
	Custid  string `json:"custid"`
	Count   int    `json:"count"`
	Records any    `json:"records"`
	Details any    `json:"details"`
}

func envelope(req *call.Request, record, details any) v2Envelope {
	return v2Envelope{Success: true, Shrimp: req.Shrimp(), Custid: version.Custid(req.Visitor.Custid), Record: record, Details: details}
}

// listing wraps several records.
func listing[T any](req *call.Request, records []T, details any) v2List {
	return v2List{
		Success: true, Shrimp: req.Shrimp(), Custid: version.Custid(req.Visitor.Custid),
		Count: len(records), Records: records, Details: details,
	}
}
