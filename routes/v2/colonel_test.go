package v2

import (
	"strings"
	"testing"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/routestest"
)

func TestIndex(t *testing.T) {
	colonel := testAccount()
	colonel.Role, colonel.CreateTime = hushv1.Role_ROLE_COLONEL, routestest.At(routestest.Now().Unix()-3)
	feedback := &hushv1.Feedback{Message: "hi", Sender: "192.0.2.0/24", CreateTime: routestest.At(routestest.Now().Unix() - 90000)}
	res := &hushv1.GetIndexResponse{
		RecentAccounts: []*hushv1.Account{colonel}, YesterdayFeedback: []*hushv1.Feedback{feedback},
		Counts: &hushv1.Counts{
			Sessions: 1, Accounts: 2, RecentAccounts: 3, Metadata: 4, Secrets: 5, SecretsCreated: 6, SecretsShared: 7, SecretsBurned: 8,
			SecretsExpired: 9, EmailsSent: 10, Feedback: 11, TodayFeedback: 12, YesterdayFeedback: 13, OlderFeedback: 14,
			Exceptions: 15, Domains: 16, QueuedMails: 17,
		},
		Store: &hushv1.StoreFacts{Backend: "bolt", LiveBytes: 18, FileBytes: 19, AuditRows: 20, AuditBytes: 21},
		Build: &hushv1.BuildFacts{Version: "0.1.0", GoVersion: "go1.26", Revision: "r", StartTime: routestest.At(routestest.Created), Uptime: routestest.Seconds(65)},
		Nodes: []*hushv1.Node{{Name: "a"}}, // clients of version 2 know none
	}
	const index = `{"recent_customers":[{"custid":"a&b@example.com","planid":"basic","colonel":true,"secrets_created":4,"secrets_shared":3,` +
		`"emails_sent":1,"verified":true,"stamp":"a moment ago"}],"today_feedback":[],` +
		`"yesterday_feedback":[{"msg":"hi [192.0.2.0/24]","stamp":"yesterday","sender":"192.0.2.0/24"}],"older_feedback":[],` +
		`"redis_info":"---\nbackend: bolt\nlive_bytes: 18\nfile_bytes: 19\nsecrets: 5\nmetadata: 4\naccounts: 2\n","plans_enabled":false,` +
		`"counts":{"session_count":1,"customer_count":2,"recent_customer_count":3,"metadata_count":4,"secret_count":5,"secrets_created":6,` +
		`"secrets_shared":7,"secrets_burned":8,"secrets_expired":9,"emails_sent":10,"feedback_count":11,"today_feedback_count":12,` +
		`"yesterday_feedback_count":13,"older_feedback_count":14,"exception_count":15,"domain_count":16,"queued_mail_count":17},` +
		`"store":{"backend":"bolt","live_bytes":18,"file_bytes":19,"audit_rows":20,"audit_bytes":21},` +
		`"build":{"version":"0.1.0","go_version":"go1.26","revision":"r","started":1795236735,"uptime":65}}`
	routestest.WantJSON(t, "encodeIndex", routestest.Encoded(t, encodeIndex(routestest.Request(), res)), answerStart+`"record":`+index+`,"details":`+index+`}`)

	long := &hushv1.Feedback{Message: strings.Repeat("é", 1500), Sender: "s"}
	if got := signed(long); got != long.GetMessage() {
		t.Errorf("signed(1500 characters): got %d bytes, want the message alone", len(got))
	}
}
