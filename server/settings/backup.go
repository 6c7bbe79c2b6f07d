package settings

import (
	"errors"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"hush/backup"
	"hush/cli/command"
	"hush/cli/flags"
)

// backupSettings say where backups go that the service makes itself.
type backupSettings struct {
	BackupTo         string // a folder; empty for none
	BackupRecipients []age.Recipient
	BackupPlain      bool
	BackupKeep       int

	backupEvery time.Duration // zero for the default
}

// defaultBackupEvery and defaultBackupKeep keep the backups of two days.
const (
	defaultBackupEvery = 6 * time.Hour
	defaultBackupKeep  = 8
	maxBackupKeep      = 10_000
)

func (s *backupSettings) settings() []setting {
	return []setting{
		{"backup-to", firstDay(flags.Example("/var/backups/hush", flags.Checked(&s.BackupTo, "", "`folder`, on another disk, for backups that the service makes (default: none)", checkPlace)))},
		{"backup-every", flags.Duration(&s.backupEvery, "6h", "`duration` from one backup to the next, 1m to 365d")},
		{"backup-keep", flags.Count(&s.BackupKeep, defaultBackupKeep, maxBackupKeep, "`number` of backups to keep; older ones are deleted")},
		{"backup-recipient", firstDay(flags.Example("age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p", flags.Unrepeated(flags.Repeated(&s.BackupRecipients,
			"`recipient` that backups are encrypted to, as \"hush admin backup keygen\" prints it; for several, repeat the flag or separate them with commas", parseRecipients))))},
		{"backup-plain", flags.Switch(&s.BackupPlain, "do not encrypt backups")},
	}
}

// AddRecipients adds the flag that names who can open a backup.
func AddRecipients(c *cobra.Command, at *[]age.Recipient) {
	define := flags.Repeated(at, "`recipient` that the backup is encrypted to, as \"hush admin backup keygen\" prints it; for several, repeat the flag or separate them with commas", parseRecipients)
	flags.Unrepeated(define)(c.Flags(), "recipient")
}

func parseRecipients(text string) ([]age.Recipient, error) {
	list, err := backup.Recipients(strings.Join(flags.SplitList(text), "\n"))
	if err != nil {
		return nil, errors.New("must be recipients of age, which begin with age1")
	}
	return list, nil
}

// BackupEvery returns how long it is from one backup to the next.
func (s *backupSettings) BackupEvery() time.Duration {
	if s.backupEvery == 0 {
		return defaultBackupEvery
	}
	return s.backupEvery
}

// checkBackups returns a usage error for settings of backups that do not go
// together.
func (s *Settings) checkBackups() error {
	given := len(s.BackupRecipients) > 0
	switch {
	case s.BackupTo == "" && (given || s.BackupPlain):
		return command.Usage("--backup-recipient and --backup-plain need --backup-to")
	case s.BackupTo == "":
		return nil
	case s.SharedStore():
		return command.Usage("--backup-to does not go with a PostgreSQL database, of which hush makes no backup: use pg_dump --exclude-table-data=hush.record_epoch")
	case s.Store == StoreMemory:
		return command.Usage("--backup-to does not go with a store in memory")
	case given && s.BackupPlain:
		return command.Usage("--backup-plain does not go with --backup-recipient")
	case !given && !s.BackupPlain:
		return command.Usage("--backup-to needs --backup-recipient, which \"hush admin backup keygen\" prints, or else --backup-plain")
	}
	return nil
}
