# Parts the packages that a script is given by their modules, since go works on one at a
# time: the service is one, and the tools of the project in tools/hush are another. Scripts
# source this file in the folder of the repository.

# in_modules COMMAND ARGUMENT... runs COMMAND FOLDER ARGUMENT... for each module of which
# the arguments name packages: as ./tools/hush/load or hush/tools/hush/load, or as ./...
# for all of both. It passes on to each what is no package, and all from -args on, and
# returns 1 if one failed. Without packages it runs for the service.
in_modules() {
	local command=$1 argument failed=0
	local service=() tools=() in_service=0 in_tools=0
	shift
	while [ $# -gt 0 ] && [ "$1" != -args ]; do
		argument=$1
		shift
		case $argument in
		./...) service+=("$argument") tools+=("$argument") in_service=1 in_tools=1 ;;
		./tools/... | ./tools/hush/...) tools+=(./...) in_tools=1 ;;
		./tools/hush/*) tools+=("./${argument#./tools/hush/}") in_tools=1 ;;
		hush/tools/hush/*) tools+=("$argument") in_tools=1 ;;
		./* | hush/*) service+=("$argument") in_service=1 ;;
		*) service+=("$argument") tools+=("$argument") ;;
		esac
	done
	service+=("$@") tools+=("$@")
	if [ "$in_service" = 1 ] || [ "$in_tools" = 0 ]; then "$command" . "${service[@]}" || failed=1; fi
	if [ "$in_tools" = 1 ]; then "$command" tools/hush "${tools[@]}" || failed=1; fi
	return "$failed"
}
