#!/usr/bin/env bash
# Compares the processor time of the hot calls with that of the baseline, which is
# scripts/bench-guard.txt. Figures are multiples: of a bare net/http handler for
# calls, and of raw bbolt for updates of the store, each measured in turn with its
# own reference, so that a slower machine or hour changes both alike. They still vary
# when something else runs, and with few runs. RUNS is how often a run is made,
# COUNT how many calls of each operation a run makes, MARGIN by how many percent
# a median may exceed the baseline's (ten measurements of unchanged code were at most
# 5 % above it), and BENCH_GUARD is one of
#   fail   fail above the margin (the default)
#   print  only say it
#   write  make a new baseline
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${RUNS:-10} count=${COUNT:-6000} margin=${MARGIN:-10} mode=${BENCH_GUARD:-fail}
baseline=scripts/bench-guard.txt
measured=.tmp/bench-guard.txt
whole() { case $2 in '' | *[!0-9]* | 0*) echo "$1=$2: want a whole number from 1 on" && exit 1 ;; esac; }
whole RUNS "$runs"
whole COUNT "$count"
case ${margin#-} in '' | *[!0-9]*) echo "MARGIN=$margin: want a whole number of percent" && exit 1 ;; esac
case $mode in
fail | print)
	[ -s "$baseline" ] || { echo "there is no baseline in $baseline: BENCH_GUARD=write makes one" && exit 1; }
	;;
write) ;;
*) echo "BENCH_GUARD=$mode: want fail, print or write" && exit 1 ;;
esac
[ "$(uname)" = Linux ] || { echo 'the guard needs Linux, whose kernel tells the processor time of a process'; exit 1; }

mkdir -p .tmp
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
export CGO_ENABLED=0
go build -trimpath -o "$folder/hush" ./cmd/hush
go build -C tools/hush -trimpath -o "$folder/hush-load" ./load
go test -c -trimpath -o "$folder/bolt.test" ./storage/bolt

: >"$folder/log" # it is read before the server may have begun it
"$folder/hush" serve --rate-limits=off --log-level=warn --data "$folder/data" --listen 127.0.0.1:0 \
	--max-network-bytes 100GiB 2>"$folder/log" &
server=$!
url=
for _ in $(seq 200); do
	url=$(sed -n 's/^.*serving on \(http:[^ ]*\).*$/\1/p' "$folder/log")
	[ -z "$url" ] || break
	sleep 0.05
done
[ -n "$url" ] || { echo 'the server does not serve:'; cat "$folder/log"; exit 1; }

# cpu ARGS... prints the processor time of a request in us for each operation.
cpu() {
	"$folder/hush-load" --op both --clients 64 --size 488 --warmup 500 --count "$count" --json "$@" |
		awk -F '[:,]' '/"op"/ { gsub(/[" ]/, "", $2); op = $2 } /"cpu_us"/ { print op, $2 + 0 }'
}

for run in $(seq "$runs"); do
	for protocol in v1 v2 connect grpc; do
		{
			cpu --protocol "$protocol" --bare | sed 's/^/bare /'
			cpu --protocol "$protocol" --target "$url" --processes "$server" | sed 's/^/hush /'
		} | awk -v protocol="$protocol" -v count="$count" '
			$1 == "bare" { bare[$2] = $3 }
			$1 == "hush" { printf "BenchmarkGuard/%s/%s %d %.2f cpu-us/op %.3f x-bare\n", protocol, $2, count, $3, $3 / bare[$2] }'
	done
	(cd storage/bolt && TMPDIR=$folder "$folder/bolt.test" -test.run '^$' -test.bench '^BenchmarkGuard$' -test.benchtime 2x) |
		awk '/^BenchmarkGuard/ { for (i = 3; i < NF; i += 2) if ($(i + 1) == "x-bbolt") print "BenchmarkGuard/store/update", $2, $i, "x-bbolt" }'
	printf 'run %d of %d\n' "$run" "$runs" >&2
done >"$measured"

if [ "$mode" = write ]; then
	# The processor time itself is that of one machine in one hour.
	sed -E 's/ [0-9.]+ cpu-us\/op//' "$measured" >"$baseline"
	echo "wrote $baseline"
	exit 0
fi
go tool -modfile=tools/go.mod benchstat "baseline=$baseline" "now=$measured"
verdict=0
awk -v margin="$margin" -f scripts/bench-guard.awk "$baseline" "$measured" || verdict=$?
if [ "$verdict" = 1 ]; then
	echo "Some calls cost more than the baseline and $margin %. What counts are the lines above, of medians."
	echo 'Measure again when nothing else runs, with ten runs. If the cost is wanted, BENCH_GUARD=write'
	echo 'makes a new baseline, to be committed with the change.'
	[ "$mode" = fail ] || exit 0
fi
exit "$verdict"
