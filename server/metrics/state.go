package metrics

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// State is what is looked at when metrics are scraped.
type State struct {
	// Ready reports whether /readyz responds with 200.
	Ready bool
	// Creating, Opening and Unpacking are bytes of bodies that are held.
	Creating, Opening, Unpacking int64
	// Connections, Streams and Watches are the open ones.
	Connections, Streams, Watches int
	// Claims is the number of claims that this process knows of.
	Claims int
	// Updates wait for a commit.
	Updates int
	// Passphrases and Passwords are the queues of slow hashing, and Hashes the
	// number of hashes so far.
	Passphrases, Passwords Lanes
	Hashes                 int64
	// ClockLeapt reports that the clock leapt forward.
	ClockLeapt bool
	// FileBytes is the length of the database's file; nil if it has none.
	FileBytes *int64
	// Disk is that of the data folder; nil if there is none with data, or its free
	// space is unknown.
	Disk *Disk
	// Files is what shared files take; nil where none are taken, or if their folder cannot
	// be read.
	Files *Files
	// Backups are those that the service makes itself; nil if it makes none.
	Backups *Backups
	// SpentLog is the log of what has ended; nil if there is none.
	SpentLog *SpentLog
	// Certificates are those of TLS; nil without TLS.
	Certificates *Certificates
	// RootKeys are how far the root keys are changed.
	RootKeys RootKeys
	// Totals are the counters in the store, and Nodes the nodes that share it. Nil
	// Totals mean that the store cannot be read.
	Totals *Totals
	Nodes  []Node
}

// Lanes are how busy a queue is.
type Lanes struct{ Lanes, Running, Waiting int }

// Disk is the state of the disk of a data folder.
type Disk struct {
	Free           int64
	Full           bool
	BallastDropped bool
}

// Files is what shared files take on the disk.
type Files struct {
	// Blobs is how many there are, and Bytes what they take.
	Blobs, Bytes int64
	// Removing is how many of them are to be removed, Uploads how many files arrive, and
	// Claimed how many are being fetched.
	Removing, Uploads, Claimed int64
}

// SpentLog is the state of a spent log.
type SpentLog struct {
	// Last is the sequence of its last entry, and Full reports whether it takes no
	// more.
	Last uint64
	Full bool
	// Segments is the number of its files, and Bytes their length.
	Segments int
	Bytes    int64
}

// Certificates are how the certificates of TLS are doing.
type Certificates struct {
	// Begins and Ends are those of the certificate of the service's own host; zero
	// while there is none.
	Begins, Ends time.Time
	// Failing is how many hosts failed to get a certificate.
	Failing int
}

// RootKeys are how far another root key took the place of older ones.
type RootKeys struct {
	// Left is how many rows wait to be sealed anew.
	Left int64
	// OldUses are how many things of each kind need an old root key; nil before they
	// were counted.
	OldUses map[string]int
}

// Backups are the backups that the service makes.
type Backups struct {
	Last     time.Time // of the last one; zero before the first
	Bytes    int64     // of that one
	Every    time.Duration
	Failures int64 // since the start
}

// Totals are the counters in the store.
type Totals struct {
	Secrets, SecretBytes, Receipts, Accounts, Sessions, Domains, Mails int64
	Created, Revealed, Burned, Expired                                 int64
}

// Node is a node of a shared store.
type Node struct {
	Name    string // as its operator calls it; not unique
	Number  uint16
	Release string
	Self    bool
	Live    bool
	Age     time.Duration
}

// readTime is how long the store may take for a scrape.
const readTime = 3 * time.Second

// reader is the collector of a State.
type reader struct {
	read   func(context.Context) State
	unread atomic.Int64 // scrapes that could not read the store
	descs  map[string]*prometheus.Desc
}

// Read makes scrapes show what read returns. It is called once; read must end
// when its context does.
func (m *Metrics) Read(read func(context.Context) State) error {
	r := &reader{read: read, descs: map[string]*prometheus.Desc{}}
	for _, name := range stateNames() {
		d := find(name)
		r.descs[name] = prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
	}
	return m.registry.Register(r)
}

func stateNames() []string {
	return []string{
		"hush_certificate_expiry_timestamp_seconds", "hush_certificate_lifetime_seconds", "hush_certificates_failing",
		"hush_backup_last_success_timestamp_seconds", "hush_backup_last_success_bytes", "hush_backup_interval_seconds", "hush_backup_failures_total",
		"hush_spent_log_full", "hush_spent_log_last_sequence", "hush_spent_log_segments", "hush_spent_log_bytes",
		"hush_old_root_key_uses", "hush_reseal_rows_left",
		"hush_ready", "hush_bodies_bytes", "hush_claims", "hush_connections", "hush_streams", "hush_watches",
		"hush_hash_lanes", "hush_hash_lanes_in_use", "hush_hash_waiting", "hush_hashes_total", "hush_clock_leapt",
		"hush_files", "hush_files_bytes", "hush_files_arriving", "hush_files_claimed", "hush_files_removing",
		"hush_store_file_bytes", "hush_disk_free_bytes", "hush_disk_full", "hush_disk_ballast_dropped",
		"hush_secrets", "hush_secrets_bytes", "hush_receipts", "hush_accounts", "hush_sessions", "hush_domains", "hush_mail_queue",
		"hush_secrets_created_total", "hush_secrets_revealed_total", "hush_secrets_burned_total", "hush_secrets_expired_total",
		"hush_node_info", "hush_node_live", "hush_node_heartbeat_age_seconds", "hush_store_read_failures_total", "hush_store_updates_waiting",
	}
}

// Describe implements prometheus.Collector.
func (r *reader) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range r.descs {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (r *reader) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	state := r.read(ctx)
	send := func(name string, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if find(name).Type == counter {
			kind = prometheus.CounterValue
		}
		if metric, err := prometheus.NewConstMetric(r.descs[name], kind, value, labels...); err == nil {
			to <- metric
		}
	}
	state.sendProcess(send)
	state.sendDisk(send)
	state.sendFiles(send)
	state.sendCertificates(send)
	state.sendBackups(send)
	state.sendSpentLog(send)
	state.sendRootKeys(send)
	state.sendNodes(send)
	if state.Totals == nil {
		r.unread.Add(1)
	} else {
		state.Totals.send(send)
	}
	send("hush_store_read_failures_total", float64(r.unread.Load()))
}

type sender func(name string, value float64, labels ...string)

func (s *State) sendProcess(send sender) {
	send("hush_ready", number(s.Ready))
	send("hush_bodies_bytes", float64(s.Creating), "create")
	send("hush_bodies_bytes", float64(s.Opening), "open")
	send("hush_bodies_bytes", float64(s.Unpacking), "unpack")
	send("hush_connections", float64(s.Connections))
	send("hush_store_updates_waiting", float64(s.Updates))
	send("hush_streams", float64(s.Streams))
	send("hush_watches", float64(s.Watches))
	send("hush_claims", float64(s.Claims))
	for kind, lanes := range map[string]Lanes{"passphrase": s.Passphrases, "password": s.Passwords} {
		send("hush_hash_lanes", float64(lanes.Lanes), kind)
		send("hush_hash_lanes_in_use", float64(lanes.Running), kind)
		send("hush_hash_waiting", float64(lanes.Waiting), kind)
	}
	send("hush_hashes_total", float64(s.Hashes))
	send("hush_clock_leapt", number(s.ClockLeapt))
}

func (s *State) sendDisk(send sender) {
	if s.FileBytes != nil {
		send("hush_store_file_bytes", float64(*s.FileBytes))
	}
	if s.Disk == nil {
		return
	}
	send("hush_disk_free_bytes", float64(s.Disk.Free))
	send("hush_disk_full", number(s.Disk.Full))
	send("hush_disk_ballast_dropped", number(s.Disk.BallastDropped))
}

func (s *State) sendFiles(send sender) {
	if s.Files == nil {
		return
	}
	send("hush_files", float64(s.Files.Blobs))
	send("hush_files_bytes", float64(s.Files.Bytes))
	send("hush_files_arriving", float64(s.Files.Uploads))
	send("hush_files_claimed", float64(s.Files.Claimed))
	send("hush_files_removing", float64(s.Files.Removing))
}

func (s *State) sendCertificates(send sender) {
	if s.Certificates == nil {
		return
	}
	var expiry int64
	if ends := s.Certificates.Ends; !ends.IsZero() {
		expiry = ends.Unix()
	}
	send("hush_certificate_expiry_timestamp_seconds", float64(expiry))
	send("hush_certificate_lifetime_seconds", s.Certificates.Ends.Sub(s.Certificates.Begins).Seconds())
	send("hush_certificates_failing", float64(s.Certificates.Failing))
}

func (s *State) sendSpentLog(send sender) {
	if s.SpentLog == nil {
		return
	}
	send("hush_spent_log_full", number(s.SpentLog.Full))
	send("hush_spent_log_last_sequence", float64(s.SpentLog.Last))
	send("hush_spent_log_segments", float64(s.SpentLog.Segments))
	send("hush_spent_log_bytes", float64(s.SpentLog.Bytes))
}

func (s *State) sendBackups(send sender) {
	if s.Backups == nil {
		return
	}
	var last int64
	if at := s.Backups.Last; !at.IsZero() {
		last = at.Unix()
	}
	send("hush_backup_last_success_timestamp_seconds", float64(last))
	send("hush_backup_last_success_bytes", float64(s.Backups.Bytes))
	send("hush_backup_interval_seconds", s.Backups.Every.Seconds())
	send("hush_backup_failures_total", float64(s.Backups.Failures))
}

func (s *State) sendRootKeys(send sender) {
	send("hush_reseal_rows_left", float64(s.RootKeys.Left))
	for kind, n := range s.RootKeys.OldUses {
		send("hush_old_root_key_uses", float64(n), label(strings.ToLower(kind)))
	}
}

func (s *State) sendNodes(send sender) {
	for _, node := range s.Nodes {
		label := strconv.Itoa(int(node.Number))
		send("hush_node_info", 1, node.Name, label, releaseLabel(node.Release), strconv.FormatBool(node.Self))
		send("hush_node_live", number(node.Live), node.Name, label)
		send("hush_node_heartbeat_age_seconds", node.Age.Seconds(), node.Name, label)
	}
}

func (t *Totals) send(send sender) {
	send("hush_secrets", float64(t.Secrets))
	send("hush_secrets_bytes", float64(t.SecretBytes))
	send("hush_receipts", float64(t.Receipts))
	send("hush_accounts", float64(t.Accounts))
	send("hush_sessions", float64(t.Sessions))
	send("hush_domains", float64(t.Domains))
	send("hush_mail_queue", float64(t.Mails))
	send("hush_secrets_created_total", float64(t.Created))
	send("hush_secrets_revealed_total", float64(t.Revealed))
	send("hush_secrets_burned_total", float64(t.Burned))
	send("hush_secrets_expired_total", float64(t.Expired))
}

func number(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// release is the form of the releases of nodes, which are read from the store.
var release = regexp.MustCompile(`^v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}[0-9A-Za-z.+-]{0,40}$|^\(?devel\)?$`)

func releaseLabel(text string) string {
	if release.MatchString(text) {
		return text
	}
	return other
}
