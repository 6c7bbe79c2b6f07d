package handlers

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/handlers/chain"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
)

// ColonelService is hush.v1.ColonelService on a vault.
type ColonelService struct {
	vault     *vault.Vault
	backend   string
	fileBytes func() int64 // nil if there is no file
	freeBytes func() int64 // nil if there is no data folder
	build     build
	backups   func() Backups // nil if none are made
	now       func() time.Time
}

// build describes the running program.
type build struct {
	version, revision string
	started           time.Time
}

func newColonelService(opts Options) *ColonelService {
	return &ColonelService{
		vault: opts.Vault, backend: opts.Backend, fileBytes: opts.FileBytes, freeBytes: opts.FreeBytes, backups: opts.Backups, now: opts.Now,
		build: build{version: opts.Version, revision: revision(), started: opts.Now()},
	}
}

// revision returns the commit of the program; empty if the toolchain did not
// record it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return ""
}

// GetIndex returns the counters, the latest accounts, the feedback and the nodes.
func (s *ColonelService) GetIndex(ctx context.Context, _ *hushv1.GetIndexRequest) (*hushv1.GetIndexResponse, error) {
	index, err := s.vault.GetIndex(ctx, chain.CallerFrom(ctx))
	if err != nil {
		return nil, err
	}
	return &hushv1.GetIndexResponse{
		RecentAccounts: each(index.Accounts, accountOf), Counts: countsOf(index.Counts),
		TodayFeedback: each(index.Today, feedbackOf), YesterdayFeedback: each(index.Yesterday, feedbackOf),
		OlderFeedback: each(index.Older, feedbackOf),
		Store:         s.storeFacts(index), Build: s.buildFacts(), Nodes: each(index.Nodes, nodeOf), Backups: s.backupFacts(),
	}, nil
}

// ListExceptions returns a page of browsers' reports.
func (s *ColonelService) ListExceptions(ctx context.Context, req *hushv1.ListExceptionsRequest) (*hushv1.ListExceptionsResponse, error) {
	list, next, err := s.vault.Inbox.ListExceptions(ctx, chain.CallerFrom(ctx), int(req.GetPageSize()), req.GetPageToken())
	if err != nil {
		return nil, err
	}
	return &hushv1.ListExceptionsResponse{Exceptions: each(list, exceptionOf), NextPageToken: next}, nil
}

// BurnReportedSecret burns the secret of a reported link.
func (s *ColonelService) BurnReportedSecret(ctx context.Context, req *hushv1.BurnReportedSecretRequest) (*hushv1.BurnReportedSecretResponse, error) {
	burned, err := s.vault.Burns.BurnReportedSecret(ctx, chain.CallerFrom(ctx), caller.Text(req.GetLink()))
	if err != nil {
		return nil, err
	}
	return &hushv1.BurnReportedSecretResponse{Metadata: keylessOf(burned)}, nil
}

// WithdrawReportedRequest closes the request of a reported link.
func (s *ColonelService) WithdrawReportedRequest(
	ctx context.Context, req *hushv1.WithdrawReportedRequestRequest,
) (*hushv1.WithdrawReportedRequestResponse, error) {
	burned, err := s.vault.Requests.Withdraw(ctx, chain.CallerFrom(ctx), req.GetRequestKey())
	if err != nil {
		return nil, err
	}
	return &hushv1.WithdrawReportedRequestResponse{Burned: int32(burned)}, nil
}

// FindAccount returns an account and what belongs to it.
func (s *ColonelService) FindAccount(ctx context.Context, req *hushv1.FindAccountRequest) (*hushv1.FindAccountResponse, error) {
	found, err := s.vault.Administration.FindAccount(ctx, chain.CallerFrom(ctx), caller.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &hushv1.FindAccountResponse{
		Account: accountOf(found.Account), ApiTokens: each(found.Tokens, apiTokenOf),
		Domains: each(found.Domains, domainOf), Sessions: each(found.Sessions, sessionOf),
	}, nil
}

// SetAccountRole sets the role of another account.
func (s *ColonelService) SetAccountRole(ctx context.Context, req *hushv1.SetAccountRoleRequest) (*hushv1.SetAccountRoleResponse, error) {
	changed, err := s.vault.Administration.SetRole(
		ctx, chain.CallerFrom(ctx), caller.Text(req.GetPassword()), caller.Text(req.GetAccount()), account.Role(req.GetRole()))
	if err != nil {
		return nil, err
	}
	return &hushv1.SetAccountRoleResponse{Account: accountOf(changed)}, nil
}

// DisableAccount disables or enables another account.
func (s *ColonelService) DisableAccount(ctx context.Context, req *hushv1.DisableAccountRequest) (*hushv1.DisableAccountResponse, error) {
	changed, err := s.vault.Administration.DisableAccount(
		ctx, chain.CallerFrom(ctx), caller.Text(req.GetPassword()), caller.Text(req.GetAccount()), !req.GetEnable())
	if err != nil {
		return nil, err
	}
	return &hushv1.DisableAccountResponse{Account: accountOf(changed)}, nil
}

// ResetAccountPassword sets the password of another account.
func (s *ColonelService) ResetAccountPassword(
	ctx context.Context, req *hushv1.ResetAccountPasswordRequest,
) (*hushv1.ResetAccountPasswordResponse, error) {
	sealed, err := s.vault.Administration.ResetPassword(
		ctx, chain.CallerFrom(ctx), caller.Text(req.GetPassword()), caller.Text(req.GetAccount()), caller.Text(req.GetNewPassword()))
	if err != nil {
		return nil, err
	}
	return &hushv1.ResetAccountPasswordResponse{SealedCount: sealed}, nil
}

// DestroyOtherAccount destroys another account.
func (s *ColonelService) DestroyOtherAccount(
	ctx context.Context, req *hushv1.DestroyOtherAccountRequest,
) (*hushv1.DestroyOtherAccountResponse, error) {
	burned, err := s.vault.Administration.DestroyAccount(
		ctx, chain.CallerFrom(ctx), caller.Text(req.GetPassword()), caller.Text(req.GetAccount()))
	if err != nil {
		return nil, err
	}
	return &hushv1.DestroyOtherAccountResponse{Burned: int32(burned)}, nil
}

func (s *ColonelService) storeFacts(index vault.Index) *hushv1.StoreFacts {
	facts := &hushv1.StoreFacts{
		Backend: s.backend, LiveBytes: index.LiveBytes, AuditRows: index.AuditRows, AuditBytes: index.AuditBytes,
		DiskFull: s.vault.DiskFull(),
	}
	if s.fileBytes != nil {
		facts.FileBytes = s.fileBytes()
	}
	if s.freeBytes != nil {
		facts.FreeBytes = s.freeBytes()
	}
	return facts
}

func (s *ColonelService) buildFacts() *hushv1.BuildFacts {
	return &hushv1.BuildFacts{
		Version: s.build.version, GoVersion: runtime.Version(), Revision: s.build.revision,
		StartTime: stamp(s.build.started),
		Uptime:    durationpb.New(s.now().Sub(s.build.started).Truncate(time.Second)),
	}
}

// backupFacts returns nil for a service that makes no backups.
func (s *ColonelService) backupFacts() *hushv1.BackupFacts {
	if s.backups == nil {
		return nil
	}
	made := s.backups()
	facts := &hushv1.BackupFacts{Bytes: made.Bytes, Interval: durationpb.New(made.Every), Failing: made.Failing}
	if !made.Last.IsZero() {
		facts.LastTime = stamp(made.Last)
	}
	return facts
}

func countsOf(c vault.Counts) *hushv1.Counts {
	return &hushv1.Counts{
		Sessions: c.Sessions, Accounts: c.Accounts, RecentAccounts: c.RecentAccounts,
		Metadata: c.Metadata, Secrets: c.Secrets, SecretsCreated: c.Created, SecretsShared: c.Shared,
		SecretsBurned: c.Burned, SecretsExpired: c.Expired, EmailsSent: c.Emails,
		Feedback: c.Feedback, TodayFeedback: c.TodayFeedback, YesterdayFeedback: c.YesterdayFeedback, OlderFeedback: c.OlderFeedback,
		Exceptions: c.Exceptions, Domains: c.Domains, QueuedMails: c.Queued,
	}
}
