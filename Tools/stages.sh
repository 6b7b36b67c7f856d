# Stages of a run, for bash scripts that source this: a stage that fails keeps no other from running, and the end says what all of
# them came to. Sets `stages`, a folder that goes when the script ends.

stages=$(mktemp -d)
stages_apart=
# Where stages say that they begin or have failed, whatever becomes of what they print.
exec 3>&1

stages_end() {
  local tries=0
  # A process that ignores signals starts others that ignore them, too.
  while [ -n "$stages_apart" ] && kill -- "-$stages_apart" 2>/dev/null; do
    if ((++tries == 40)); then
      disown -a
      kill -KILL -- "-$stages_apart" 2>/dev/null || true
    elif ((tries > 60)); then
      break
    fi
    sleep 0.05
  done
  rm -rf "$stages"
}
trap stages_end EXIT

# stage NAME COMMAND…: runs a command; keeps what it prints, its exit status and its seconds. Fails if the command does.
stage() {
  local name=$1 began=$SECONDS status=0
  shift
  echo "test: $name" >&3
  "$@" 2>&1 | tee "$stages/$name.output" || status=$?
  echo "$status $((SECONDS - began)) $name" >> "$stages/ended"
  if ((status)); then echo "test: $name failed with exit status $status" >&3; fi
  return "$status"
}

# each COMMAND…: runs all commands, whichever fails. Fails if one does.
each() {
  local command status=0
  for command in "$@"; do "$command" || status=$?; done
  return "$status"
}

# apart FUNCTION: runs stages beside those that follow, in a group of processes that ends with this script. What they print is shown
# by `finish`, which waits for them.
apart() {
  set -m
  "$@" > /dev/null &
  stages_apart=$!
  set +m
}

# finish [NAME [LIST]]: prints what failed, which tests were skipped and the seconds of each stage, and last the closing line of the
# stage NAME, whose output is that of `swift test`. Ends with the worst exit status; a test that was skipped and that the file
# LIST does not have is a failure.
finish() {
  local suites=${1-} skips=${2-} worst=0 status seconds name
  if [ -n "$stages_apart" ]; then wait "$stages_apart" || true; fi
  stages_apart=
  while read -r status seconds name; do
    if ((status > worst)); then worst=$status; fi
    if ((status == 0)); then continue; fi
    # Of long output only the end may be kept.
    echo "test: what failed in $name"
    if [ "$name" = "$suites" ]; then
      Tools/failed-tests "$stages/$name.output" || true
    else
      tail -n 100 "$stages/$name.output"
    fi
  done < "$stages/ended"
  if ! Tools/skipped-tests ${skips:+--only "$skips"} "$stages"/*.output && ((worst == 0)); then worst=1; fi
  sort -rnk 2 "$stages/ended" | while read -r status seconds name; do
    if ((status)); then name+=": failed with exit status $status"; fi
    printf 'test: %5d s  %s\n' "$seconds" "$name"
  done
  if [ -n "$suites" ]; then grep -aE '^(✔|✘) Test run with' "$stages/$suites.output" | tail -n 1 || true; fi
  exit "$worst"
}
