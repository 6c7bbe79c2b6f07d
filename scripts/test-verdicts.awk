# Of the output of go test -v, shows each package's verdict, and before the
# verdict of a package that failed all its tests said.

/^=== (RUN|PAUSE|CONT|NAME) / { next }
/^ *--- PASS: / { next }
/^go: downloading / { next }
/^(PASS|testing: warning: no tests to run|\?   \t.*)$/ { next }
/^ok  \t/ { held = 0; print; fflush(); next }
/^\t.*coverage: / { next }
/^FAIL\t/ {
	for (i = 0; i < held; i++) print lines[i]
	held = 0
	print
	fflush()
	next
}
{ lines[held++] = $0 }

# What belongs to no package: go's own complaints.
END { for (i = 0; i < held; i++) print lines[i] }
