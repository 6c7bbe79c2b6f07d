# Reads a baseline and then what was measured, both in the format of Go's benchmarks,
# and says which medians exceed the baseline's by more than margin percent. It exits
# with 1 if one does, and with 2 if one of the baseline is missing or there are none.

/^Benchmark/ {
	for (i = 3; i < NF; i += 2) {
		unit = $(i + 1)
		if (unit !~ /^x-/) continue
		name = $1 " " unit
		if (FILENAME == ARGV[1]) before[name] = before[name] " " $i
		else now[name] = now[name] " " $i
	}
}

# median returns the median of numbers that are separated by spaces.
function median(text,    list, n, i, j, t) {
	n = split(text, list, " ")
	for (i = 2; i <= n; i++) {
		t = list[i] + 0
		for (j = i - 1; j > 0 && list[j] + 0 > t; j--) list[j + 1] = list[j]
		list[j + 1] = t
	}
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

END {
	failed = 0
	for (name in before) {
		rows++
		if (!(name in now)) {
			printf "MISSING %s\n", name
			failed = 2
			continue
		}
		change = 100 * (median(now[name]) / median(before[name]) - 1)
		word = "ok"
		if (change > margin) {
			word = "OVER"
			if (!failed) failed = 1
		}
		printf "%-8s%-40s %+6.1f %% (allowed: %+d %%)\n", word, name, change, margin | "sort"
	}
	close("sort")
	if (!rows) {
		print "the baseline has no figures"
		failed = 2
	}
	exit failed
}
