package metrics

import (
	"slices"
	"strings"
)

// Metric is a line of the table of metrics.
type Metric struct {
	Name string
	// Type is counter, gauge or histogram.
	Type string
	// Help is what it counts, as it is exported.
	Help string
	// Labels are the names of its labels.
	Labels []string
}

const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// Shared reports whether all nodes that share a store export the same values, so
// that adding them up is wrong. Other metrics are of one process.
func (m Metric) Shared() bool { return strings.Contains(m.Help, wholeStore) }

// wholeStore is in the help of metrics that are of a store.
const wholeStore = " whole store"

// Table returns all metrics of the service itself, in the order of their names.
// Those of the Go runtime and of the process (go_, process_) are not in it.
func Table() []Metric {
	return []Metric{
		{"hush_accounts", gauge, "Accounts in the whole store.", nil},
		{"hush_backup_failures_total", counter, "Backups that failed since the start.", nil},
		{"hush_backup_interval_seconds", gauge, "The time from one backup to the next.", nil},
		{"hush_backup_last_success_bytes", gauge, "The size of the last backup.", nil},
		{"hush_backup_last_success_timestamp_seconds", gauge, "When the last backup was begun that the service made itself; 0 before the first.", nil},
		{"hush_bodies_bytes", gauge, "Bytes of request bodies that are held: of requests that create (create), of those that open or burn (open), and being decompressed (unpack).", []string{"lane"}},
		{"hush_build_info", gauge, "Always 1; the labels tell the release.", []string{"version", "goversion"}},
		{"hush_certificate_expiry_timestamp_seconds", gauge, "When the certificate of the service's own host ends; 0 while it has none.", nil},
		{"hush_certificate_lifetime_seconds", gauge, "How long the certificate of the service's own host is valid, from its beginning to its end; 0 while it has none.", nil},
		{"hush_certificates_failing", gauge, "Hosts, those of domains included, whose last attempt to get a certificate failed, if that was within a day.", nil},
		{"hush_claims", gauge, "Claims whose content this process keeps, or knows that another node keeps.", nil},
		{"hush_clock_leapt", gauge, "1 while the clock has leapt forward and nothing is deleted until that is confirmed.", nil},
		{"hush_connections", gauge, "Open connections.", nil},
		{"hush_disk_ballast_dropped", gauge, "1 while the disk is so full that the ballast was removed: only opening, burning and expiry continue.", nil},
		{"hush_disk_free_bytes", gauge, "Free bytes on the disk of the data folder.", nil},
		{"hush_disk_full", gauge, "1 while nothing new is stored, because less than --min-free-bytes is free.", nil},
		{"hush_domains", gauge, "Verified domains in the whole store.", nil},
		{"hush_files", gauge, "Files of the folder files: of shared files that arrive, wait or are fetched, or that are still to be removed.", nil},
		{"hush_files_arriving", gauge, "Shared files that have not arrived yet.", nil},
		{"hush_files_bytes", gauge, "Bytes that the folder files takes on the disk. An upload takes its whole length from the beginning.", nil},
		{"hush_files_claimed", gauge, "Shared files that were opened and are being fetched.", nil},
		{"hush_files_removing", gauge, "Shared files that have ended, whose bytes are still to be removed.", nil},
		{"hush_hash_lanes", gauge, "How many passphrases or passwords are hashed at a time at most.", []string{"kind"}},
		{"hush_hash_lanes_in_use", gauge, "Passphrases or passwords being hashed.", []string{"kind"}},
		{"hush_hash_waiting", gauge, "Requests that wait to hash a passphrase or password.", []string{"kind"}},
		{"hush_hashes_total", counter, "Passphrases and passwords hashed with argon2id.", nil},
		{"hush_last_sweep_timestamp_seconds", gauge, "When this process last swept without an error; 0 if it never did.", []string{"kind"}},
		{"hush_mail_queue", gauge, "Mails that wait to be sent, in the whole store.", nil},
		{"hush_mails_total", counter, "Mails that were tried, by what became of them: sent, queued again, failed for good, or dropped because nobody needs them any more.", []string{"kind", "state"}},
		{"hush_node_heartbeat_age_seconds", gauge, "Age of the last heartbeat of each node of the whole store.", []string{"node", "number"}},
		{"hush_node_info", gauge, "Always 1; the labels tell the release of each node of the whole store, and which one this is.", []string{"node", "number", "release", "self"}},
		{"hush_node_live", gauge, "1 for each node of the whole store whose last heartbeat is recent.", []string{"node", "number"}},
		{"hush_old_root_key_uses", gauge, "What still needs an old root key in the whole store, when this process last counted: after it sealed anew what it could, and every hour.", []string{"kind"}},
		{"hush_ready", gauge, "1 while /readyz responds with 200.", nil},
		{"hush_receipts", gauge, "Receipts in the whole store, including those of secrets that have ended.", nil},
		{"hush_refusals_total", counter, "Requests that a limit refused, and connections (limit connections).", []string{"limit"}},
		{"hush_request_duration_seconds", histogram, "How long requests took, by route. A stream lasts until it ends.", []string{"route"}},
		{"hush_requests_total", counter, "Requests by route, code of the RPC behind it, and status of HTTP.", []string{"route", "code", "status"}},
		{"hush_reseal_rows_left", gauge, "Rows that this process has still to seal with the current root key; 0 while it does not do that.", nil},
		{"hush_secrets", gauge, "Secrets that wait to be opened, in the whole store.", nil},
		{"hush_secrets_burned_total", counter, "Secrets that were burned, in the whole store since it was made.", nil},
		{"hush_secrets_bytes", gauge, "Bytes of the secrets that wait to be opened, as they are stored, in the whole store.", nil},
		{"hush_secrets_created_total", counter, "Secrets that were created, in the whole store since it was made.", nil},
		{"hush_secrets_expired_total", counter, "Secrets that expired, in the whole store since it was made.", nil},
		{"hush_secrets_revealed_total", counter, "Secrets that were opened, in the whole store since it was made.", nil},
		{"hush_sessions", gauge, "Sessions that have not ended, in the whole store.", nil},
		{"hush_share_sync_duration_seconds", histogram, "How long it took to make a batch of stored or destroyed shares durable.", nil},
		{"hush_spent_log_bytes", gauge, "Bytes of the files of the spent log, with space that is reserved.", nil},
		{"hush_spent_log_full", gauge, "1 while the disk of the spent log is full, so that nothing can be opened or burned.", nil},
		{"hush_spent_log_last_sequence", gauge, "The number of the last entry of the spent log.", nil},
		{"hush_spent_log_last_sync_timestamp_seconds", gauge, "When the spent log was last made durable: at an entry, or at the start of the process.", nil},
		{"hush_spent_log_segments", gauge, "Files of the spent log.", nil},
		{"hush_spent_log_sync_duration_seconds", histogram, "How long it took to make a batch of entries of the spent log durable.", nil},
		{"hush_spent_log_sync_failures_total", counter, "Batches of entries that could not be made durable in the spent log.", nil},
		{"hush_store_commit_duration_seconds", histogram, "How long it took to make a commit durable.", nil},
		{"hush_store_commit_updates", histogram, "How many updates shared a commit.", nil},
		{"hush_store_commits_total", counter, "Commits by result: ok, conflict (tried again), full (the disk), unavailable (the database), unknown (what is on the disk), or error.", []string{"result"}},
		{"hush_store_file_bytes", gauge, "Length of hush.db, which never shrinks.", nil},
		{"hush_store_read_failures_total", counter, "Scrapes that could not read the store; they lack what is in it.", nil},
		{"hush_store_updates_waiting", gauge, "Updates of this process that wait for a commit.", nil},
		{"hush_streams", gauge, "Open streams: watched receipts, health, reflection.", nil},
		{"hush_sweep_duration_seconds", histogram, "How long sweeps of this process took: of secrets, and of the rest.", []string{"kind"}},
		{"hush_sweep_failures_total", counter, "Sweeps of this process that ended with an error.", []string{"kind"}},
		{"hush_swept_rows_total", counter, "Rows that sweeps of this process ended.", []string{"kind"}},
		{"hush_watches", gauge, "Receipts that are watched.", nil},
	}
}

// find returns a metric of the table; an unknown one has no name, so that it
// cannot be registered.
func find(name string) Metric {
	table := Table()
	if i := slices.IndexFunc(table, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return table[i]
	}
	return Metric{}
}
