# Of the output of go test -v, lists every skipped test with its package and
# reason: "hush/vault TestX (needs strace: not installed)". The reason is the
# last line that the test logged before its verdict. It leaves out what runs in
# make test alone, which test-stores.awk lists.

/^=== (RUN|CONT|NAME) +/ { test = $3; next }

/^ +[^ ]+\.go:[0-9]+: / {
	text = $0
	sub(/^ +[^ ]+\.go:[0-9]+: /, "", text)
	reason[test] = text
	next
}

/^ *--- SKIP: / {
	why = ($3 in reason) ? reason[$3] : "no reason given"
	if (why ~ /: not run again$/) next
	skipped[count++] = $3 " (" why ")"
	next
}

# A package's verdict comes after its tests.
/^(ok  |FAIL|---)\t/ {
	for (i = 0; i < count; i++) print $2, skipped[i]
	count = 0
	split("", reason)
}
