package postgres

import "strconv"

// statement is one that each connection prepares when it is opened.
type statement struct {
	name string
	sql  string
}

const (
	stmtBegin       = "begin"
	stmtBeginLocked = "begin_locked"
	stmtLock        = "lock"
	stmtCommit      = "commit"
	stmtRollback    = "rollback"
	stmtGet         = "get"
	stmtGetMany     = "get_many"
	stmtRange       = "range"
	stmtApply       = "apply"
	stmtHoldLayout  = "hold_layout"
	stmtHello       = "hello"
	stmtFence       = "fence"
	stmtFenced      = "fenced"
	stmtForget      = "forget"
	stmtBucket      = "bucket"
	stmtNewBucket   = "new_bucket"
	stmtBuckets     = "buckets"
	stmtNow         = "now"
	stmtConfirm     = "confirm"
	stmtPutShares   = "put_shares"
	stmtGetShares   = "get_shares"
	stmtDropShares  = "drop_shares"
)

// currentTimeline is the timeline of a primary, in hexadecimal digits. A database
// has another one from each promotion of a standby on, and may know less then
// than the primary before it.
const currentTimeline = "substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8)"

// ifKept stands in statements for the question whether what they write is kept:
// this is the store that was opened, this program is new enough for its schema,
// and the settings are good that the server takes from its configuration, which
// may have been reloaded since the connection was opened. It lets the transaction
// wait for the disk and the standbys, whatever else the session says.
//
// A schema can be dropped and made anew, and then its buckets and shares have other
// numbers. What raises version.oldest locks the table first, so no statement reads
// the row, waits, and writes afterwards.
const ifKept = "$kept$"

// keptIn returns what stands for ifKept in the store of that identity.
func keptIn(identity string) string {
	return "EXISTS (SELECT FROM version WHERE store = " + quoteText(identity) +
		" AND oldest <= " + strconv.Itoa(schemaVersion) +
		" AND current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'" +
		" AND set_config('synchronous_commit', " + durableCommit + ", true) <> '')"
}

// durableCommit is the synchronous_commit of a session: the one it has if that is
// above "on", and else "on". What is below acknowledges commits that a crash or a
// failover loses.
const durableCommit = "CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END"

// statements are all of them. Names are found through the search path, which
// holds the store's schema, and temporary tables only after it.
var statements = []statement{
	{stmtBegin, "BEGIN READ ONLY, ISOLATION LEVEL REPEATABLE READ"},
	// It waits before the snapshot begins, so that no bucket is moved to a table of its
	// own between the two: the snapshot would look for its rows in a table where it
	// sees none.
	{stmtHoldLayout, "LOCK TABLE record_rest IN ACCESS SHARE MODE"},
	{stmtBeginLocked, "BEGIN ISOLATION LEVEL READ COMMITTED"},
	{stmtLock, "LOCK TABLE turn IN EXCLUSIVE MODE"},
	{stmtCommit, "COMMIT"},
	{stmtRollback, "ROLLBACK"},
	{stmtGet, "SELECT xmin, value FROM record WHERE bucket = $1::int2 AND key = $2::bytea"},
	{stmtGetMany, "SELECT w.n::int4, r.xmin, r.value" +
		" FROM unnest($1::int2[], $2::bytea[]) WITH ORDINALITY AS w (bucket, key, n)" +
		" JOIN record r ON r.bucket = w.bucket AND r.key = w.key"},
	{stmtRange, "SELECT key, xmin, value FROM record" +
		" WHERE bucket = $1::int2 AND key >= $2::bytea AND key < $3::bytea ORDER BY key LIMIT $4::int8"},
	// The share that an update needs is looked for without the lock: it was made durable
	// before, on this connection's server or not at all.
	{stmtApply, "SELECT w.there, CASE WHEN w.there THEN apply($1::int8, $2::int8, $3::int2[], $4::bytea[], $5::xid[]," +
		" $6::int2[], $7::bytea[], $8::bytea[], $9::int4[]," +
		" $10::int2[], $11::bytea[], $12::bytea[], $13::int2[], $14::bytea[]) END" +
		" FROM (SELECT NOT EXISTS (SELECT FROM unnest($15::int8[], $16::int8[]) AS n (number, generation)" +
		" LEFT JOIN share s ON s.number = n.number AND s.generation = n.generation WHERE s.number IS NULL) AS there OFFSET 0) AS w" +
		" WHERE " + ifKept},
	{stmtHello, "INSERT INTO commits (lane, batch, void) VALUES ($1::int8, 0, true) ON CONFLICT DO NOTHING"},
	// A writer without any row was forgotten, and with it what became of its batch.
	{stmtFence, "INSERT INTO commits (lane, batch, void) SELECT $1::int8, $2::int8, true" +
		" WHERE EXISTS (SELECT FROM commits WHERE lane = $1::int8 AND batch < $2::int8) AND " + ifKept + " ON CONFLICT DO NOTHING"},
	{stmtFenced, "SELECT (SELECT void FROM commits WHERE lane = $1::int8 AND batch = $2::int8), " + ifKept},
	// No batch is under way for a week, unless its node stood still or the clock leapt.
	{stmtForget, "DELETE FROM commits WHERE at < now() - interval '7 days'"},
	{stmtBucket, "SELECT id FROM bucket WHERE name = $1::text"},
	{stmtBuckets, "SELECT id, name FROM bucket"},
	{stmtNewBucket, "INSERT INTO bucket (name) SELECT $1::text WHERE " + ifKept + " ON CONFLICT DO NOTHING"},
	{stmtNow, "SELECT clock_timestamp()"},
	// A message that no process reads is the smallest write that a commit waits for.
	{stmtConfirm, "SELECT pg_logical_emit_message(true, 'hush', '') WHERE " + ifKept},
	{stmtPutShares, "INSERT INTO share (number, generation, share)" +
		" SELECT nextval('slots'), g, s FROM unnest($1::bytea[], $2::int8[]) AS w (s, g) WHERE " + ifKept + " RETURNING number, generation, share"},
	{stmtGetShares, "SELECT w.n::int4, s.share FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS w (number, generation, n)" +
		" JOIN share s ON s.number = w.number AND s.generation = w.generation"},
	// It answers nothing if that would not be kept.
	{stmtDropShares, "WITH kept AS MATERIALIZED (SELECT WHERE " + ifKept + ")," +
		" gone AS (DELETE FROM share s USING unnest($1::int8[], $2::int8[]) AS w (number, generation)" +
		" WHERE s.number = w.number AND s.generation = w.generation AND EXISTS (SELECT FROM kept) RETURNING 1)" +
		" SELECT (SELECT count(*) FROM gone) FROM kept"},
}

// schemaVersion is the version of the schema that migrations lead to, and
// oldestProgram the lowest schemaVersion of a program that may still use it: a
// change that programs of the version before do not notice leaves it alone, so
// that nodes can be replaced one by one.
const (
	schemaVersion = 1
	oldestProgram = 1
)

// migrations lead from the version that is their index to the next one.
//
// One table holds the rows of all buckets, with a small number for the bucket,
// but for the buckets that Options.OwnTables names, which have partitions.
// A table for each would make nothing smaller, since the primary key is the
// only index and two bytes more fit into its alignment, and would make every
// batch a statement for each table. Vacuum's work for each dead row is the same
// either way, because both are vacuumed at the same share of dead rows. What
// one table costs is that a small bucket with much traffic waits for a vacuum
// of the whole; until then its dead entries are marked in the index by the
// first scan that meets them and are cheap to pass over.
//
// Rows are short-lived, so vacuum starts at two per cent of dead rows and does
// not sleep. A tenth of each page is left free, so that a row that changes its
// state without growing stays on its page and leaves the index alone. Values
// are ciphertext, which does not compress: they are never tried.
var migrations = []string{`
CREATE TABLE turn ();
COMMENT ON TABLE turn IS 'locked by each commit of hush until it is visible';

CREATE TABLE bucket (
	id   int2 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL UNIQUE COLLATE "C"
);

CREATE TABLE record (
	bucket int2 NOT NULL,
	key    bytea NOT NULL,
	value  bytea NOT NULL,
	PRIMARY KEY (bucket, key)
) PARTITION BY LIST (bucket);
ALTER TABLE record ALTER COLUMN value SET STORAGE EXTERNAL;
ALTER TABLE record ALTER COLUMN key SET STORAGE PLAIN;
CREATE TABLE record_rest PARTITION OF record DEFAULT WITH (` + shortLived + `);

CREATE SEQUENCE slots;
CREATE TABLE share (
	number     int8 PRIMARY KEY,
	generation int8 NOT NULL,
	share      bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE share ALTER COLUMN share SET STORAGE PLAIN;

CREATE TABLE commits (
	lane  int8 NOT NULL,
	batch int8 NOT NULL,
	void  boolean NOT NULL,
	at    timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (lane, batch)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE commits IS 'the last batch of each writer: was its commit made (not void), or will it never be (void)';
` + writeFunction + `
CREATE FUNCTION apply(this_lane int8, this_batch int8,
	read_bucket int2[], read_key bytea[], read_version xid[],
	range_bucket int2[], range_from bytea[], range_to bytea[], range_rows int4[],
	put_bucket int2[], put_key bytea[], put_value bytea[],
	delete_bucket int2[], delete_key bytea[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	-- Each statement below must have a snapshot of its own, taken after the lock.
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'isolation level is not read committed' USING ERRCODE = 'invalid_transaction_state';
	END IF;
	LOCK TABLE turn IN EXCLUSIVE MODE;
	IF cardinality(read_key) > 0 AND EXISTS (
		SELECT FROM unnest(read_bucket, read_key, read_version) AS w (bucket, key, version)
		LEFT JOIN record r ON r.bucket = w.bucket AND r.key = w.key
		WHERE coalesce(r.xmin, '0'::xid) <> w.version)
	THEN
		RAISE EXCEPTION 'a row changed since it was read' USING ERRCODE = 'serialization_failure';
	END IF;
	IF cardinality(range_from) > 0 AND EXISTS (
		SELECT FROM unnest(range_bucket, range_from, range_to, range_rows) AS w (bucket, low, high, n)
		WHERE w.n <> (SELECT count(*) FROM (SELECT FROM record r
			WHERE r.bucket = w.bucket AND r.key >= w.low AND r.key < w.high LIMIT w.n + 1) AS found))
	THEN
		RAISE EXCEPTION 'a range changed since it was read' USING ERRCODE = 'serialization_failure';
	END IF;
	PERFORM write(this_lane, this_batch, put_bucket, put_key, put_value, delete_bucket, delete_key);
END $$;
`}

// shortLived are the settings of tables whose rows are.
const shortLived = `fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
	autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0,
	toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_cost_delay = 0`

// forgotten are the settings of tables that backups leave out, because what is
// deleted there should be gone: vacuum starts at one dead row. It does not
// shorten the table, which would cancel queries on standbys.
const forgotten = `fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0,
	autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off`

// writeFunction writes what apply has certified. A batch that was given up has
// a row of its own or of a later batch, and never writes.
const writeFunction = `
CREATE FUNCTION write(this_lane int8, this_batch int8,
	put_bucket int2[], put_key bytea[], put_value bytea[],
	delete_bucket int2[], delete_key bytea[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM commits WHERE lane = this_lane AND batch >= this_batch) THEN
		RAISE EXCEPTION 'the batch was given up' USING ERRCODE = 'invalid_transaction_termination';
	END IF;
	INSERT INTO commits (lane, batch, void) VALUES (this_lane, this_batch, false);
	DELETE FROM commits WHERE lane = this_lane AND batch = this_batch - 1;
	IF cardinality(put_key) > 0 THEN
		INSERT INTO record (bucket, key, value)
			SELECT w.bucket, w.key, w.value FROM unnest(put_bucket, put_key, put_value) AS w (bucket, key, value)
			ON CONFLICT (bucket, key) DO UPDATE SET value = excluded.value;
	END IF;
	IF cardinality(delete_key) > 0 THEN
		DELETE FROM record r USING unnest(delete_bucket, delete_key) AS w (bucket, key)
			WHERE r.bucket = w.bucket AND r.key = w.key;
	END IF;
END $$;
`
