package v2

import (
	"fmt"
	"strings"
	"unicode/utf8"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
	"hush/routes/version"
)

// v2IndexRecord is the service's status. Clients of one age look for it in the
// record, those of another in the details.
type v2IndexRecord struct {
	RecentCustomers   []v2RecentCustomer `json:"recent_customers"`
	TodayFeedback     []v2FeedbackItem   `json:"today_feedback"`
	YesterdayFeedback []v2FeedbackItem   `json:"yesterday_feedback"`
	OlderFeedback     []v2FeedbackItem   `json:"older_feedback"`
	RedisInfo         string             `json:"redis_info"`
	PlansEnabled      bool               `json:"plans_enabled"`
	Counts            v2Counts           `json:"counts"`
	Store             v2StoreFacts       `json:"store"`
	Build             v2BuildFacts       `json:"build"`
}

type v2RecentCustomer struct {
	Custid         string `json:"custid"`
	Planid         string `json:"planid"`
	Colonel        bool   `json:"colonel"`
	SecretsCreated int64  `json:"secrets_created"`
	SecretsShared  int64  `json:"secrets_shared"`
	EmailsSent     int64  `json:"emails_sent"`
	Verified       bool   `json:"verified"`
	Stamp          string `json:"stamp"`
}

// v2FeedbackItem is a message. Old clients show only Msg.
type v2FeedbackItem struct {
	Msg    string `json:"msg"`
	Stamp  string `json:"stamp"`
	Sender string `json:"sender"`
}

// maxFeedback is the maximum number of characters of a message that browser
// clients accept.
const maxFeedback = 1500

type v2Counts struct {
	SessionCount           int64 `json:"session_count"`
	CustomerCount          int64 `json:"customer_count"`
	RecentCustomerCount    int64 `json:"recent_customer_count"`
	MetadataCount          int64 `json:"metadata_count"`
	SecretCount            int64 `json:"secret_count"`
	SecretsCreated         int64 `json:"secrets_created"`
	SecretsShared          int64 `json:"secrets_shared"`
	SecretsBurned          int64 `json:"secrets_burned"`
	SecretsExpired         int64 `json:"secrets_expired"`
	EmailsSent             int64 `json:"emails_sent"`
	FeedbackCount          int64 `json:"feedback_count"`
	TodayFeedbackCount     int64 `json:"today_feedback_count"`
	YesterdayFeedbackCount int64 `json:"yesterday_feedback_count"`
	OlderFeedbackCount     int64 `json:"older_feedback_count"`
	ExceptionCount         int64 `json:"exception_count"`
	DomainCount            int64 `json:"domain_count"`
	QueuedMailCount        int64 `json:"queued_mail_count"`
}

type v2StoreFacts struct {
	Backend    string `json:"backend"`
	LiveBytes  int64  `json:"live_bytes"`
	FileBytes  int64  `json:"file_bytes"`
	AuditRows  int64  `json:"audit_rows"`
	AuditBytes int64  `json:"audit_bytes"`
}

type v2BuildFacts struct {
	Version   string `json:"version"`
	GoVersion string `json:"go_version"`
	Revision  string `json:"revision"`
	Started   int64  `json:"started"`
	Uptime    int64  `json:"uptime"`
}

func v2Index(req *call.Request, res *hushv1.GetIndexResponse) any {
	record := v2IndexRecord{
		RecentCustomers: recentCustomers(req, res.GetRecentAccounts()),
		TodayFeedback:   feedback(req, res.GetTodayFeedback()), YesterdayFeedback: feedback(req, res.GetYesterdayFeedback()),
		OlderFeedback: feedback(req, res.GetOlderFeedback()),
		Counts:        newV2Counts(res.GetCounts()),
		Store: v2StoreFacts{
			Backend: res.GetStore().GetBackend(), LiveBytes: res.GetStore().GetLiveBytes(), FileBytes: res.GetStore().GetFileBytes(),
			AuditRows: res.GetStore().GetAuditRows(), AuditBytes: res.GetStore().GetAuditBytes(),
		},
		Build: v2BuildFacts{
			Version: res.GetBuild().GetVersion(), GoVersion: res.GetBuild().GetGoVersion(), Revision: res.GetBuild().GetRevision(),
			Started: version.Epoch(res.GetBuild().GetStartTime()), Uptime: res.GetBuild().GetUptime().GetSeconds(),
		},
	}
	record.RedisInfo = storeWords(record)
	return envelope(req, record, record)
}

func recentCustomers(req *call.Request, accounts []*hushv1.Account) []v2RecentCustomer {
	customers := make([]v2RecentCustomer, 0, len(accounts))
	for _, a := range accounts {
		customers = append(customers, v2RecentCustomer{
			Custid: a.GetAddress(), Planid: planid, Colonel: a.GetRole() == hushv1.Role_ROLE_COLONEL,
			SecretsCreated: a.GetTally().GetSecretsCreated(), SecretsShared: a.GetTally().GetSecretsShared(),
			EmailsSent: a.GetTally().GetEmailsSent(), Verified: a.GetVerified(),
			Stamp: agoWords(a.GetCreateTime().AsTime(), req.Now),
		})
	}
	return customers
}

func feedback(req *call.Request, list []*hushv1.Feedback) []v2FeedbackItem {
	items := make([]v2FeedbackItem, 0, len(list))
	for _, f := range list {
		items = append(items, v2FeedbackItem{
			Msg: signed(f), Stamp: agoWords(f.GetCreateTime().AsTime(), req.Now), Sender: f.GetSender(),
		})
	}
	return items
}

// signed returns a message with its sender, or without if that would make it
// too long.
func signed(f *hushv1.Feedback) string {
	text := f.GetMessage() + " [" + f.GetSender() + "]"
	if utf8.RuneCountInString(text) > maxFeedback {
		return f.GetMessage()
	}
	return text
}

func newV2Counts(c *hushv1.Counts) v2Counts {
	return v2Counts{
		SessionCount: c.GetSessions(), CustomerCount: c.GetAccounts(), RecentCustomerCount: c.GetRecentAccounts(),
		MetadataCount: c.GetMetadata(), SecretCount: c.GetSecrets(),
		SecretsCreated: c.GetSecretsCreated(), SecretsShared: c.GetSecretsShared(),
		SecretsBurned: c.GetSecretsBurned(), SecretsExpired: c.GetSecretsExpired(), EmailsSent: c.GetEmailsSent(),
		FeedbackCount: c.GetFeedback(), TodayFeedbackCount: c.GetTodayFeedback(),
		YesterdayFeedbackCount: c.GetYesterdayFeedback(), OlderFeedbackCount: c.GetOlderFeedback(),
		ExceptionCount: c.GetExceptions(), DomainCount: c.GetDomains(), QueuedMailCount: c.GetQueuedMails(),
	}
}

// storeWords returns the lines that clients expect about another kind of store.
func storeWords(r v2IndexRecord) string {
	var b strings.Builder
	b.WriteString("---\n")
	fmt.Fprintf(&b, "backend: %s\nlive_bytes: %d\nfile_bytes: %d\n", r.Store.Backend, r.Store.LiveBytes, r.Store.FileBytes)
	fmt.Fprintf(&b, "secrets: %d\nmetadata: %d\naccounts: %d\n", r.Counts.SecretCount, r.Counts.MetadataCount, r.Counts.CustomerCount)
	return b.String()
}
