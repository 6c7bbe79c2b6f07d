package v2

import (
	"fmt"
	"strings"
	"unicode/utf8"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
)

// indexRecord is the service's status. Clients of one age look for it in the
// record, those of another in the details.
type indexRecord struct {
	RecentCustomers   []recentCustomer `json:"recent_customers"`
	TodayFeedback     []feedbackItem   `json:"today_feedback"`
	YesterdayFeedback []feedbackItem   `json:"yesterday_feedback"`
	OlderFeedback     []feedbackItem   `json:"older_feedback"`
	RedisInfo         string           `json:"redis_info"`
	PlansEnabled      bool             `json:"plans_enabled"`
	Counts            counts           `json:"counts"`
	Store             storeFacts       `json:"store"`
	Build             buildFacts       `json:"build"`
}

type recentCustomer struct {
	Custid         string `json:"custid"`
	Planid         string `json:"planid"`
	Colonel        bool   `json:"colonel"`
	SecretsCreated int64  `json:"secrets_created"`
	SecretsShared  int64  `json:"secrets_shared"`
	EmailsSent     int64  `json:"emails_sent"`
	Verified       bool   `json:"verified"`
	Stamp          string `json:"stamp"`
}

// feedbackItem is a message. Old clients show only Msg.
type feedbackItem struct {
	Msg    string `json:"msg"`
	Stamp  string `json:"stamp"`
	Sender string `json:"sender"`
}

// maxFeedback is the maximum number of characters of a message that browser
// clients accept.
const maxFeedback = 1500

type counts struct {
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

type storeFacts struct {
	Backend    string `json:"backend"`
	LiveBytes  int64  `json:"live_bytes"`
	FileBytes  int64  `json:"file_bytes"`
	AuditRows  int64  `json:"audit_rows"`
	AuditBytes int64  `json:"audit_bytes"`
}

type buildFacts struct {
	Version   string `json:"version"`
	GoVersion string `json:"go_version"`
	Revision  string `json:"revision"`
	Started   int64  `json:"started"`
	Uptime    int64  `json:"uptime"`
}

func encodeIndex(req *call.Request, res *hushv1.GetIndexResponse) any {
	record := indexRecord{
		RecentCustomers: recentCustomers(req, res.GetRecentAccounts()),
		TodayFeedback:   feedback(req, res.GetTodayFeedback()), YesterdayFeedback: feedback(req, res.GetYesterdayFeedback()),
		OlderFeedback: feedback(req, res.GetOlderFeedback()),
		Counts:        newCounts(res.GetCounts()),
		Store: storeFacts{
			Backend: res.GetStore().GetBackend(), LiveBytes: res.GetStore().GetLiveBytes(), FileBytes: res.GetStore().GetFileBytes(),
			AuditRows: res.GetStore().GetAuditRows(), AuditBytes: res.GetStore().GetAuditBytes(),
		},
		Build: buildFacts{
			Version: res.GetBuild().GetVersion(), GoVersion: res.GetBuild().GetGoVersion(), Revision: res.GetBuild().GetRevision(),
			Started: res.GetBuild().GetStartTime().GetSeconds(), Uptime: res.GetBuild().GetUptime().GetSeconds(),
		},
	}
	record.RedisInfo = storeWords(record)
	return newEnvelope(req, record, record)
}

func recentCustomers(req *call.Request, accounts []*hushv1.Account) []recentCustomer {
	customers := make([]recentCustomer, 0, len(accounts))
	for _, a := range accounts {
		customers = append(customers, recentCustomer{
			Custid: a.GetAddress(), Planid: planid, Colonel: a.GetRole() == hushv1.Role_ROLE_COLONEL,
			SecretsCreated: a.GetTally().GetSecretsCreated(), SecretsShared: a.GetTally().GetSecretsShared(),
			EmailsSent: a.GetTally().GetEmailsSent(), Verified: a.GetVerified(),
			Stamp: agoWords(a.GetCreateTime().AsTime(), req.Now),
		})
	}
	return customers
}

func feedback(req *call.Request, list []*hushv1.Feedback) []feedbackItem {
	items := make([]feedbackItem, 0, len(list))
	for _, f := range list {
		items = append(items, feedbackItem{
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

func newCounts(c *hushv1.Counts) counts {
	return counts{
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
func storeWords(r indexRecord) string {
	var b strings.Builder
	b.WriteString("---\n")
	fmt.Fprintf(&b, "backend: %s\nlive_bytes: %d\nfile_bytes: %d\n", r.Store.Backend, r.Store.LiveBytes, r.Store.FileBytes)
	fmt.Fprintf(&b, "secrets: %d\nmetadata: %d\naccounts: %d\n", r.Counts.SecretCount, r.Counts.MetadataCount, r.Counts.CustomerCount)
	return b.String()
}
