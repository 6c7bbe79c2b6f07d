# Stages of a check, for scripts/check.sh and scripts/full.sh, which source this file
# in the folder of the repository.
#
# A stage that fails ends nothing: all others run, and the summary names it. What a
# stage writes is shown when it ends, so that stages side by side stay apart.

stages=$(mktemp -d "${TMPDIR:-/tmp}/hush-stages.XXXXXX")
trap 'rm -rf "$stages"' EXIT
began=$SECONDS
export TEST_TIMES=$stages/times
: >"$TEST_TIMES" >"$stages/summary"

# stage NAME COMMAND... runs a command and notes how it ended and how long it took.
stage() {
	local name=$1 start=$SECONDS result=ok log
	shift
	log=$(mktemp "$stages/log.XXXXXX")
	echo "... $name"
	"$@" >"$log" 2>&1 </dev/null || result=FAIL
	{
		flock 9
		printf '\n=== %s\n' "$name"
		cat "$log"
		printf '%-24s %-6s %5d s\n' "$name" "$result" $((SECONDS - start)) | tee -a "$stages/summary"
	} 9>"$stages/lock"
	rm -f "$log"
}

# shown NAME COMMAND... is stage for a command whose output is shown as it comes.
shown() {
	local name=$1 start=$SECONDS result=ok
	shift
	printf '\n=== %s\n' "$name"
	"$@" </dev/null || result=FAIL
	printf '%-24s %-6s %5d s\n' "$name" "$result" $((SECONDS - start)) | tee -a "$stages/summary"
}

# finish writes the summary, with the slowest tests, and returns 1 if a stage failed.
finish() {
	printf '\n=== slowest tests\n'
	sort -rn "$TEST_TIMES" | head -10
	printf '\n=== summary\n'
	cat "$stages/summary"
	local result=ok status=0
	if grep -q ' FAIL ' "$stages/summary"; then result=FAIL status=1; fi
	printf '%-24s %-6s %5d s\n' total "$result" $((SECONDS - began))
	return "$status"
}
