package doctor

import (
	"slices"

	"hush/vault/answer"
	"hush/vault/exam"
	"hush/vault/file"
	"hush/vault/request"
)

// Level says what a finding means for the service.
type Level int

// The levels.
const (
	LevelInfo    Level = 1 // ordinary
	LevelWarning Level = 2 // harmless: the service mends it, or can do without
	LevelError   Level = 3 // a promise is in danger
)

// String returns the level as in reports.
func (l Level) String() string {
	return map[Level]string{LevelInfo: "info", LevelWarning: "warning", LevelError: "error"}[l]
}

// LevelOf returns the level that String calls so; LevelError for another word.
func LevelOf(text string) Level {
	for _, l := range []Level{LevelInfo, LevelWarning} {
		if l.String() == text {
			return l
		}
	}
	return LevelError
}

// Code names a kind of finding.
type Code = exam.Code

// The codes of files, keys and of what is about no row.
const (
	CodeFolderMode    exam.Code = "folder-mode"
	CodeFileMissing   exam.Code = "file-missing"
	CodeFileType      exam.Code = "file-type"
	CodeFileMode      exam.Code = "file-mode"
	CodeFileOwner     exam.Code = "file-owner"
	CodeFileUnknown   exam.Code = "file-unknown"
	CodeFileLeft      exam.Code = "file-left"
	CodeFileSystem    exam.Code = "file-system"
	CodeFolderCopied  exam.Code = "folder-copied"
	CodeKeyMissing    exam.Code = "key-missing"
	CodeKeyMode       exam.Code = "key-mode"
	CodeKeyFormat     exam.Code = "key-format"
	CodeCertificate   exam.Code = "certificate-sealed"
	CodeDatabase      exam.Code = "database-damaged"
	CodeShares        exam.Code = "shares-damaged"
	CodeSharesTorn    exam.Code = "shares-torn"
	CodeBucket        exam.Code = "bucket-unknown"
	restoreFolder               = "Restore the folder from a backup."
	restoreOrReport             = "Restore the folder from a backup, or report a defect if the disk is good."
	restoreOrReportIt           = "Nothing can be done for what is lost. Check the disk; report a defect if it is good."
	nothing                     = "Nothing: the service mends it."
	reportIt                    = "Report a defect; the service goes on without harm."
)

// Info says what a kind of finding means.
type Info struct {
	Code  exam.Code
	Level Level
	Text  string // a sentence
	Do    string // what the operator does
}

// Codes returns what all kinds of findings mean, in the order of the documents.
func Codes() []Info {
	return slices.Concat(fileCodes(), keyCodes(), shareCodes(), secretCodes(), contentCodes(), requestCodes(), accountCodes(), rowCodes())
}

func fileCodes() []Info {
	return []Info{
		{CodeFolderMode, LevelError, "Other users can access the data folder.", "Run chmod 700 on it."},
		{CodeFileMissing, LevelError, "The data folder lacks a file.", restoreFolder},
		{CodeFileType, LevelError, "A file of the data folder is no plain file.", "Put the file itself there, not a link."},
		{CodeFileMode, LevelError, "Other users can access a file of the data folder.", "Run chmod 600 on it."},
		{CodeFileOwner, LevelError, "A file of the data folder belongs to another user than the folder.", "Run chown on it, so that the service can open it."},
		{CodeFileUnknown, LevelWarning, "The data folder has a file that is not Hush's.", "Move it elsewhere."},
		{CodeFileLeft, LevelWarning, "A process that was killed left a file.", "Nothing: nothing uses it. It may be deleted while no service runs."},
		{CodeFileSystem, LevelWarning, "The file system of the data folder weakens a promise.", "Move the folder to a local disk."},
		{CodeFolderCopied, LevelWarning, "The folder is a copy, or a copy of one of its files took the place of that file: a start is refused.", "Serve the folder that it is a copy of, or put the file back. If that is gone for good, start once with --moved."},
	}
}

func keyCodes() []Info {
	return []Info{
		{CodeKeyMissing, LevelError, "The root key is missing.", "Put it back, or name its file with --root-key-file."},
		{CodeKeyMode, LevelError, "Other users can read the root key.", "Run chmod 0400 on it; if others may have read it, treat it as stolen."},
		{CodeKeyFormat, LevelError, "The file of the root key holds no root key.", "Put the right file there."},
		{exam.CodeWrongKey, LevelError, "The root key is not the one that the data was made with.", "Name the right one with --root-key-file."},
		{exam.CodeVerifier, LevelError, "The database does not know its root key or its time: it is not complete.", restoreFolder},
		{CodeCertificate, LevelWarning, "A file of the folder of certificates does not open with the root key.", "Delete it: the service obtains the certificate anew."},
		{CodeDatabase, LevelError, "The database is damaged; its rows were not examined.", restoreFolder},
		{CodeShares, LevelError, "The file of shares is damaged, or is that of another database.", "Put back the file that belongs to hush.db, or restore both from one backup."},
	}
}

func shareCodes() []Info {
	return []Info{
		{CodeSharesTorn, LevelWarning, "Growing the file of shares was interrupted.", nothing},
		{exam.CodeShareMissing, LevelError, "A waiting secret, claim or mail has no share: it cannot be opened.", restoreOrReportIt},
		{exam.CodeShareGeneration, LevelError, "The slot of a waiting secret, claim or mail holds another share: it cannot be opened.", "Put back the file of shares that belongs to hush.db; otherwise as for a missing share."},
		{exam.CodeSlotShared, LevelError, "Two rows have one slot: the end of one is the end of both.", restoreOrReport},
		{exam.CodeSlotDamaged, LevelWarning, "The bytes of a slot are damaged; it is not used again.", "Check the disk."},
		{exam.CodeSlotOrphaned, LevelInfo, "More slots hold a share that nothing uses than are kept ready: several runs ended before the service freed them.", nothing},
		{exam.CodeShredLive, LevelError, "The share of a waiting secret, claim or mail is on the list of shares to be destroyed: the next start destroys it.", "Do not start the service. " + restoreOrReport},
		{exam.CodeShredLeft, LevelWarning, "The list of shares to be destroyed has a row that the last run left.", nothing},
	}
}

func secretCodes() []Info {
	return []Info{
		{exam.CodeSecretReceipt, LevelError, "A secret has no receipt that says that it waits: it cannot be opened, and does not expire.", restoreOrReport},
		{exam.CodeSecretSize, LevelError, "The sealed text of a secret has a wrong length: it cannot be opened.", restoreOrReportIt},
		{exam.CodeReceiptSecret, LevelError, "A receipt says that its secret waits, and there is none.", restoreOrReport},
		{exam.CodeReceiptState, LevelError, "A receipt contradicts itself.", restoreOrReport},
		{exam.CodeReceiptEntry, LevelWarning, "The list of an account lacks a receipt of the account.", reportIt},
		{exam.CodeEntryReceipt, LevelWarning, "The list of an account names a receipt that does not exist.", reportIt},
		{exam.CodeExpired, LevelInfo, "A secret has expired and is not destroyed yet.", nothing},
		{exam.CodeExpiryMissing, LevelError, "A secret is not in the index of what expires: it would never be destroyed.", "Burn the secret of the receipt, or restore the folder from a backup."},
		{exam.CodeExpiryStray, LevelWarning, "The index of what expires has a row too many.", nothing},
		{exam.CodeAttemptStray, LevelWarning, "Tries at a passphrase are kept for a secret that does not exist.", reportIt},
		{exam.CodeTimelineStray, LevelWarning, "A timeline is kept for a receipt that does not exist.", reportIt},
		{exam.CodeClaimSize, LevelError, "The sealed content of a claim has a wrong length: its recipient cannot fetch it again.", restoreOrReportIt},
		{exam.CodeClaimDue, LevelInfo, "The deadline of a claim has passed, and it is not destroyed yet.", nothing},
		{exam.CodeReceiptClaim, LevelWarning, "A receipt waits for the end of a claim that does not exist: it never says whether the content arrived.", reportIt},
		{exam.CodeDeadlineMissing, LevelWarning, "A claim is not in the index of deadlines: only the node that made it, or the next start, destroys it.", "Restart the service."},
		{exam.CodeDeadlineStray, LevelWarning, "The index of deadlines has a row too many.", reportIt},
		{exam.CodeMailSealed, LevelError, "A queued mail cannot be opened.", "It is given up after a day; send what it was about again."},
	}
}

// contentCodes are those of what package file keeps.
func contentCodes() []Info {
	return []Info{
		{file.CodeSecret, LevelError, "A secret or claim is a shared file of which nothing is known, or something else: it cannot be opened.", restoreOrReport},
		{file.CodeUnheld, LevelWarning, "Neither a secret nor a claim opens a shared file: its bytes stay on the disk.", reportIt},
		{file.CodeReceipt, LevelWarning, "A shared file is kept of a receipt that does not exist.", reportIt},
		{file.CodeUpload, LevelError, "A shared file and its upload contradict each other: it never arrives, or its sender can still change it.", restoreOrReport},
		{file.CodeUploadStray, LevelWarning, "An upload is kept of a shared file that does not arrive.", reportIt},
		{file.CodeArrived, LevelError, "A shared file has fewer or more parts than it should: it never arrives, or cannot be fetched whole.", restoreOrReport},
		{file.CodePartStray, LevelWarning, "A part is kept of a shared file that does not exist.", reportIt},
		{file.CodeBlobMissing, LevelError, "The folder files lacks the blob of a shared file: none of its parts can be sent or fetched.", "Put the blob back, if it was moved away; otherwise its sender can burn it. Check the disk; report a defect if it is good."},
		{file.CodeBlobDamaged, LevelError, "The blob of a shared file is damaged or has a wrong length: some of its parts cannot be fetched.", "Put the whole blob back, if it was copied in part. " + restoreOrReportIt},
		{file.CodeBlobStray, LevelWarning, "The folder files has a blob that belongs to no shared file.", "Nothing: the next start removes it."},
	}
}

func requestCodes() []Info {
	return []Info{
		{answer.CodeUnnamed, LevelError, "A secret is an answer, and its request has no such answer: it cannot be opened.", restoreOrReport},
		{answer.CodeSecret, LevelWarning, "An answer says that its content waits, and there is none.", reportIt},
		{answer.CodeRequest, LevelWarning, "Answers are kept of a request that does not exist.", reportIt},
		{answer.CodeTally, LevelError, "A request counts its answers wrongly: it takes more or fewer than it was asked to.", restoreOrReport},
		{request.CodeCollection, LevelError, "A request and its collect link do not lead to each other: its answers cannot be collected.", restoreOrReport},
		{request.CodeIndex, LevelWarning, "The list of an account or network lacks a request.", reportIt},
		{request.CodeIndexStray, LevelWarning, "The list of an account or network has a request too many.", reportIt},
	}
}

func accountCodes() []Info {
	return []Info{
		{exam.CodeAccountMissing, LevelError, "A session, API token, key pair or domain belongs to an account that does not exist.", restoreOrReport},
		{exam.CodeAccountAddress, LevelError, "The e-mail address of an account leads elsewhere: its owner cannot sign in.", restoreOrReport},
		{exam.CodeAddressIndex, LevelError, "The e-mail address of an account is not the one that it is found by.", restoreOrReport},
		{exam.CodeAddressStray, LevelError, "An e-mail address leads to an account that has another one, or that does not exist.", restoreOrReport},
		{exam.CodeField, LevelError, "What is sealed in a row does not open with the root key.", restoreOrReportIt},
		{exam.CodeTicket, LevelWarning, "A mailed link and its account do not know each other: the link is refused.", "Let the user ask for another link."},
		{exam.CodeTallyStray, LevelWarning, "The tally of an account is kept that does not exist.", reportIt},
		{exam.CodePairMissing, LevelError, "An account has a password and no key pair for it: its owner cannot sign in.", "Set a new password with \"hush admin account reset-password\"."},
		{exam.CodePairUnheld, LevelWarning, "Nothing holds a key pair of an account.", reportIt},
		{exam.CodeListMissing, LevelError, "An account does not list a session or API token of its own: it cannot be revoked.", restoreOrReport},
		{exam.CodeListStray, LevelError, "An account lists a session or API token that does not exist: it cannot use its list.", restoreOrReport},
		{exam.CodeDomainID, LevelError, "A custom domain and its id do not lead to each other.", restoreOrReport},
		{exam.CodeDomainVerified, LevelError, "A custom domain and the index of verified names contradict each other.", restoreOrReport},
		{exam.CodeDomainRecheck, LevelWarning, "A custom domain is not in the index of checks.", "Let its owner verify it again."},
		{exam.CodeDomainImage, LevelWarning, "A custom domain and its images do not fit together.", "Let its owner upload or delete the image again."},
		{exam.CodeRecheckStray, LevelWarning, "The index of checks has a row too many.", nothing},
	}
}

func rowCodes() []Info {
	return []Info{
		{exam.CodeRow, LevelError, "A row cannot be read.", restoreOrReport},
		{CodeBucket, LevelWarning, "The database has a bucket that this release does not know.", "Use the release that made it."},
		{exam.CodeSystem, LevelWarning, "The database has a row of its own that this release does not know.", "Use the release that made it."},
		{exam.CodeCounter, LevelError, "A counter differs from what there is.", reportIt},
		{exam.CodeAuditGap, LevelError, "Rows of the audit trail are missing.", restoreOrReport},
		{exam.CodeAuditBeyond, LevelError, "A row of the audit trail is beyond the last number: the next one replaces it.", restoreOrReport},
		{exam.CodeClockAhead, LevelError, "The database has seen a time that is not yet: what expires before that is gone.", "Correct the clock of the machine. If it is right, the clock was wrong when the service last ran."},
		{exam.CodeCopied, LevelError, "The data is being copied to another store, or was moved there: it cannot be served.", "Finish the copy with \"hush admin store copy\", or give it up with \"hush admin store abandon\"."},
		{exam.CodeDueMissing, LevelError, "A row that must end is not in the index of what is due: it would stay for ever.", reportIt},
		{exam.CodeDueKind, LevelWarning, "The index of what is due has a row of a kind that this release does not know.", "Use the release that made it."},
	}
}

// infoOf returns what a code means.
func infoOf(code exam.Code) Info {
	for _, i := range Codes() {
		if i.Code == code {
			return i
		}
	}
	return Info{Code: code, Level: LevelError, Text: "This release cannot explain the finding.", Do: "Report a defect."}
}
