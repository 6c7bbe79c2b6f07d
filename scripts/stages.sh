# Stages of a check, for scripts/check.sh and scripts/full.sh, which source this file
# in the folder of the repository.
#
# A stage that fails ends nothing: all others run, and the summary names it. What a
# stage writes is shown when it ends, so that stages side by side stay apart.

stages=$(mktemp -d "${TMPDIR:-/tmp}/hush-stages.XXXXXX")
trap 'rm -rf "$stages"' EXIT
began=$SECONDS
lanes=()
lost=''
export TEST_TIMES=$stages/times
: >"$TEST_TIMES" >"$stages/summary" >"$stages/left-out" >"$stages/names"

# wanted NAME reports whether a stage is to run.
wanted() {
	echo "$1" >>"$stages/names"
	case ",${ONLY:-$1}," in *",$1,"*) return 0 ;; esac
	echo "$1" >>"$stages/left-out"
	return 1
}

# stage NAME COMMAND... runs a command and notes how it ended, how long it took and
# how much processor time: the first says little of stages side by side.
stage() {
	local name=$1 start=$SECONDS result=ok log TIMEFORMAT='%U %S'
	wanted "$name" || return 0
	shift
	log=$(mktemp "$stages/log.XXXXXX")
	echo "... $name"
	{ time "$@" >"$log" 2>&1 </dev/null; } 2>"$log.cpu" || result=FAIL
	{
		flock 9
		printf '\n=== %s\n' "$name"
		cat "$log"
		verdict "$name" "$result" $((SECONDS - start)) "$log.cpu"
	} 9>"$stages/lock"
	rm -f "$log" "$log.cpu"
}

# shown NAME COMMAND... is stage for a command whose output is shown as it comes.
shown() {
	local name=$1 start=$SECONDS result=ok cpu TIMEFORMAT='%U %S'
	wanted "$name" || return 0
	shift
	cpu=$(mktemp "$stages/cpu.XXXXXX")
	printf '\n=== %s\n' "$name"
	# time writes to the shell's own standard error, and the command to the one before.
	{ time "$@" </dev/null 2>&3; } 3>&2 2>"$cpu" || result=FAIL
	verdict "$name" "$result" $((SECONDS - start)) "$cpu"
	rm -f "$cpu"
}

# verdict NAME RESULT SECONDS FILE notes how a stage ended; FILE has its processor
# times, user and system.
verdict() {
	local cpu
	cpu=$(awk '{ printf "%d", $1 + $2 }' "$4")
	printf '%-24s %-6s %5d s %6s s of processor time\n' "$1" "$2" "$3" "${cpu:-?}" | tee -a "$stages/summary"
}

# unknown writes each name in ONLY that no stage has.
unknown() {
	[ -z "${ONLY:-}" ] || tr ',' '\n' <<<"$ONLY" | grep -vxFf "$stages/names" || true
}

# lane FUNCTION runs stages beside others, until joined.
lane() {
	"$1" &
	lanes+=("$!")
}

# joined waits for the lanes. One that ended before its last stage, for want of memory
# or of room for its files, fails the run.
joined() {
	local pid
	for pid in "${lanes[@]}"; do
		wait "$pid" || lost=1
	done
	lanes=()
}

# finish writes the summary, with the slowest tests, and returns 1 if a stage failed.
finish() {
	printf '\n=== slowest tests\n'
	# head would end sort by a signal.
	sort -rn "$TEST_TIMES" | sed -n 1,10p
	printf '\n=== summary\n'
	cat "$stages/summary"
	local result=ok status=0 missing
	if grep -q ' FAIL ' "$stages/summary"; then result=FAIL status=1; fi
	if [ -n "$lost" ]; then
		echo 'some stages did not run: what runs them ended before'
		result=FAIL status=1
	fi
	missing=$(unknown)
	if [ -n "$missing" ]; then
		sed 's/^/ONLY names no stage: /' <<<"$missing"
		result=FAIL status=1
	fi
	sed 's/$/: left out by ONLY/' "$stages/left-out"
	printf '%-24s %-6s %5d s\n' total "$result" $((SECONDS - began))
	return "$status"
}
