# Of the output of go test -v in a run on PostgreSQL, lists every test that is
# about the data folder and so ran on bbolt, and every one that was left out
# because it would test the same as in the run on bbolt. It counts them and the
# others.

/^=== (RUN|CONT|NAME) +/ { test = $3; next }

/: about the data folder: on bbolt$/ {
	split(test, parts, "/")
	on_bolt[parts[1]] = 1
	next
}

/: not run again$/ { left_out[test] = 1; next }

/^--- (PASS|FAIL): / { ran[$3] = 1; next }

# A package's verdict comes after its tests.
/^(ok  |FAIL)\t/ {
	for (name in ran) if (name in on_bolt) { print $2, name, "(on bbolt)"; bolt++ } else postgres++
	for (name in left_out) { print $2, name, "(left out)"; once++ }
	split("", ran)
	split("", on_bolt)
	split("", left_out)
}

END { printf "%d on bbolt, %d left out, and %d others\n", bolt, once, postgres }
