package admin

import (
	"fmt"
	"strconv"
	"time"

	"hush/cli/console"
	"hush/vault/transfer"
)

// copyProgress shows how far a copy is.
type copyProgress struct {
	line  *console.Progress
	phase transfer.Phase
	began time.Time
}

func (p *copyProgress) show(now transfer.Progress) {
	if now.Phase != p.phase {
		p.phase, p.began = now.Phase, time.Now()
	}
	p.line.Show(func() string { return describeCopy(now, time.Since(p.began)) })
}

// describeCopy returns a line about a phase that has taken some time.
func describeCopy(now transfer.Progress, took time.Duration) string {
	text := fmt.Sprintf("%s: %d", now.Phase, now.Rows)
	if now.OfRows > 0 {
		text += fmt.Sprintf(" of %d", now.OfRows)
	}
	text += " rows"
	if now.Bytes > 0 {
		text += ", " + mebibytes(now.Bytes)
	}
	if now.OfBytes > 0 {
		text += " of " + mebibytes(now.OfBytes)
	}
	if s := took.Seconds(); s >= 1 {
		text += fmt.Sprintf(", %.0f rows/s", float64(now.Rows)/s)
	}
	return text
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// tellBuckets prints the rows of each bucket, and names damaged ones.
func (k stores) tellBuckets(report transfer.Report) error {
	var lines [][]string
	for _, b := range report.Buckets {
		if b.Rows > 0 || b.Damaged > 0 {
			lines = append(lines, []string{b.Name, strconv.FormatInt(b.Rows, 10), strconv.FormatInt(b.Damaged, 10)})
		}
		for _, key := range b.Keys {
			k.Tellf("bucket %q: the row %s cannot be read", b.Name, key)
		}
		if more := b.Damaged - int64(len(b.Keys)); more > 0 {
			k.Tellf("bucket %q: %s more cannot be read", b.Name, console.Count(more, "rows"))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return k.Table("BUCKET,ROWS,DAMAGED", lines)
}

// tellDone prints what a finished copy did.
func (k stores) tellDone(r transfer.Report, opts transfer.Options, took time.Duration) {
	if r.Verified == 0 {
		k.Tellf("finished the copy that an earlier run had compared: the data is in %s", opts.To.Name)
		return
	}
	k.Tellf("moved %s with %s, %s, in %v, and compared them all", console.Count(r.Rows, "rows"), console.Count(r.Shares, "shares"), mebibytes(r.Bytes), took.Round(100*time.Millisecond))
	if r.Expired > 0 {
		k.Tellf("%s of these had expired with a secret or a mail, and open nothing", console.Count(r.Expired, "shares"))
	}
	if r.Damaged > 0 {
		k.Tellf("left in %s alone, since they cannot be read: %s; what they have in shares is not destroyed", opts.From.Name, console.Count(r.Damaged, "rows"))
	}
	k.Tellf("%s is retired; the data is in %s, which can be served with the same root key", opts.From.Name, opts.To.Name)
}
