#!/bin/sh
# Records this host for toposcope: read-only commands and /sys, each with a time limit; a tar on standard output.
#
#   ssh node sh -s < collect.sh > node.tar     then     toposcope analyze node.tar
#
# Needs a POSIX shell with cat, date, dd, env, grep, id, mkdir, mv, od, readlink, rm, sed, sleep,
# sort, tr, uname and wc: busybox will do. Writes nothing but a folder of its own below $TMPDIR or /tmp,
# which it removes. Shows more as root. Names, addresses and serial numbers are kept:
# `toposcope record --from node.tar -o safe.tar.gz` replaces them by stand-ins.
# TIMEOUT (seconds, of each command) and SYSROOT (a copy of / to read /sys from) may be set.
# Made by @MADE_BY@ from the tables of its collectors: do not edit.

limit=${TIMEOUT:-10}
root=${SYSROOT:-/}
blocks=16384 # of 512 bytes: the most that is kept of one output
hangs=8      # commands of one tool that may hang before the rest of them is not tried, if none has answered
together=16  # commands that run at a time where there are many
count=0
tab=$(printf '\t')

# --- one command ---------------------------------------------------------------------------------------------------

# ask SOURCE ARGUMENT NAME WORDS-AS-JSON WORDS...: run a command beside the others.
ask() {
  count=$((count + 1))
  one "$count" "$@" &
}

one() {
  id=$1 source=$2 argument=$3 name=$4 json=$5 tool=$6
  shift 5
  out=$work/$id.out err=$work/$id.err code= truncated=false began=$(date +%s)
  : >"$out"
  : >"$err"
  if ! command -v "$tool" >/dev/null 2>&1; then
    outcome=absent
  elif [ ! -e "$work/answers.$tool" ] && [ "$(lines_of "$work/late.$tool")" -ge "$hangs" ]; then
    outcome=timed-out
    echo "not tried: the tool had answered nothing before" >"$err"
  else
    within_limit "$id" external "$@" >"$out" 2>"$err"
    code=$(cat "$work/$id.code" 2>/dev/null)
    outcome=$(judged "$id" "$tool" "$code")
  fi
  told "$id" "$source" "$argument" "$name" "$json" >"$work/$id.json"
}

external() {
  ulimit -f "$blocks" 2>/dev/null
  # shellcheck disable=SC2086 # empty where there is no setsid
  exec $setsid "$@"
}

# within_limit ID WORDS...: run a command or a function of this script; its exit status is then in ID.code. What ends
# first ends the other: the command kills the sleep, or the sleep is over and the command is killed.
within_limit() {
  mark=$work/$1
  shift
  sleep "$limit" >/dev/null 2>&1 </dev/null &
  nap=$!
  echo "$nap" >"$mark.nap"
  (
    "$@" </dev/null &
    echo $! >"$mark.pid"
    wait $! 2>/dev/null
    echo $? >"$mark.code"
    kill -9 "$nap" 2>/dev/null
  ) &
  runner=$!
  if wait "$nap" 2>/dev/null; then : >"$mark.late"; fi
  end "$(cat "$mark.pid")"
  wait "$runner" 2>/dev/null
  rm -f "$mark.nap" "$mark.pid"
}

# end PID: kill a process with its group; the group is all that is left of a process that has ended.
end() {
  kill -9 "-$1" 2>/dev/null || { [ ! -e "$mark.late" ] || end_tree "$1"; }
}

# Without setsid a process has no group of its own: its children are looked up, in a subshell for their names' sake.
end_tree() (
  for stat in /proc/[0-9]*/stat; do
    line=
    read -r line <"$stat"
    child=${stat#/proc/} child=${child%/stat}
    # shellcheck disable=SC2086
    set -- "$1" ${line##*) }
    [ "${3:-}" = "$1" ] && end_tree "$child"
  done 2>/dev/null
  kill -9 "$1" 2>/dev/null
)

judged() {
  out=$work/$1.out err=$work/$1.err
  if [ -e "$work/$1.late" ]; then
    echo late >>"$work/late.$2"
    echo timed-out
  elif [ "$3" = 127 ] || { [ "$2" = cat ] && grep -q 'No such file' "$err"; }; then
    echo absent
  elif [ "$3" != 0 ] && { sed 50q "$out"; cat "$err"; } | grep -qiE '@REFUSALS@'; then
    echo refused
  elif { [ "$3" = 0 ] || { [ "$3" = 1 ] && [ ! -s "$err" ]; }; } && ! grep -q '[^[:space:]]' "$out"; then
    : >"$work/answers.$2"
    echo empty
  else
    : >"$work/answers.$2"
    echo done
  fi
}

# told ID SOURCE ARGUMENT NAME WORDS-AS-JSON: write the manifest's line, and note the file that the tar is to hold.
told() {
  error=$(sed 1q "$work/$1.err" | tr -cd '\040-\176' | sed 's/[\\"]/\\&/g')
  size=$(wc -c <"$work/$1.out")
  file=null
  if [ "$outcome" != absent ] && grep -q '[^[:space:]]' "$work/$1.out"; then
    file="\"$4\""
    echo "$4" >"$work/$1.name"
  fi
  if [ "$size" -ge $((blocks * 512)) ]; then
    truncated=true
    dd if="$work/$1.out" of="$work/$1.cut" bs=1024 count=256 2>/dev/null
    mv "$work/$1.cut" "$work/$1.out"
  fi
  if [ "$outcome" = timed-out ] || [ "$outcome" = absent ] || [ "$truncated" = true ]; then code=; fi
  printf '{"source": "%s", "command": %s, "outcome": "%s", "argument": %s, "exit_code": %s, "duration_s": %s, ' \
    "$2" "$5" "$outcome" "$3" "${code:-null}" "$(($(date +%s) - began))"
  printf '"file": %s, "error": "%s", "truncated": %s}\n' "$file" "$error" "$truncated"
}

lines_of() {
  if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi
}

# pause: let the others go on when enough run at a time.
pause() {
  [ $((count % together)) -ne 0 ] || wait
}

# --- /sys ----------------------------------------------------------------------------------------------------------

# part SOURCE FOLDERS FILES LINKS BINARIES: write what is wanted of each folder, as PATH, ATTRIBUTE and VALUE.
part() {
  set +f
  for folder in $2; do
    set -f
    [ -d "$folder" ] || continue
    for name in $4; do links "$folder" "$name"; done
    for name in $3; do values "$folder" "$name"; done
    for name in $5; do digits "$folder" "$name"; done
  done >>"$work/$1.sys" 2>/dev/null
}

links() {
  case $2 in
    .) link "$1" ;;
    *'*'*)
      set +f
      for each in "$1"/$2; do
        if [ -e "$each" ] || [ -L "$each" ]; then link "$each"; else echo "/$1$tab!${tab}empty"; fi
      done
      set -f
      ;;
    *) link "$1/$2" ;;
  esac
}

link() {
  if [ -L "$1" ]; then echo "/$1$tab->$tab$(readlink "$1")"; fi
}

values() {
  [ -f "$1/$2" ] || return
  if [ ! -r "$1/$2" ]; then
    echo "/$1/$2$tab!${tab}denied"
    return
  fi
  path=$1 attribute=$2
  while IFS= read -r line || [ -n "$line" ]; do
    # shellcheck disable=SC2086
    set -- $line
    printf '/%s\t%s\t%s\n' "$path" "$attribute" "$*"
  done <"$path/$attribute"
}

digits() {
  [ -f "$1/$2" ] || return
  if [ ! -r "$1/$2" ]; then
    echo "/$1/$2$tab!${tab}denied"
    return
  fi
  hex=$(od -An -v -tx1 "$1/$2" | tr -d ' \n')
  if [ -n "$hex" ]; then printf '/%s\t%s\t%s\n' "$1" "$2" "$hex"; fi
}

tree() {
  cd "$root" || return
@PARTS@
}

# --- devices to ask about ------------------------------------------------------------------------------------------

# Names of these shapes alone are ever put into a command.
safe() {
  grep -xE '[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,63}' | sort -u
}

cards() { # of `npu-smi info -m`: card and chip are the first two numbers of a row
  for file in "$work"/*.name; do
    if grep -qx 'npu-smi_info_-m' "$file"; then
      while read -r card chip rest; do
        case $card$chip in
          '' | *[!0-9]*) ;;
          *) if [ -z "$1" ] || [ "$chip" = "$1" ]; then echo "$card"; fi ;;
        esac
      done <"${file%.name}.out"
    fi
  done | safe
}

npus() {
  for each in "${root%/}"/dev/davinci[0-9]*; do
    if [ -e "$each" ]; then echo "${each##*davinci}"; fi
  done | safe
}

netdevs() {
  for each in "${root%/}"/sys/class/net/*/device; do
    each=${each%/device}
    if [ -e "$each/device" ]; then echo "${each##*/}"; fi
  done | safe
}

bonds() {
  for each in "${root%/}"/sys/class/net/*/bonding; do
    each=${each%/bonding}
    if [ -e "$each/bonding" ]; then echo "${each##*/}"; fi
  done | safe
}

rdmas() {
  for each in "${root%/}"/sys/class/infiniband/mlx5_*; do
    if [ -e "$each" ]; then echo "${each##*/}"; fi
  done | safe
}

# --- the tar -------------------------------------------------------------------------------------------------------

zeros() {
  if [ "$1" -gt 0 ]; then dd if=/dev/zero bs="$1" count=1 2>/dev/null; fi
}

# member NAME FILE: write one file of a tar (ustar); the sum of a header's bytes stands in it.
member() {
  size=$(($(wc -c <"$2")))
  middle=$(printf '0000644 0000000 0000000 %011o %011o ' "$size" "$now")
  sum=$((8 * 32 + 48))
  for byte in $(printf '%s%sustar00' "$1" "$middle" | od -An -v -tu1); do sum=$((sum + byte)); done
  printf '%s' "$1"
  zeros $((100 - ${#1}))
  printf '%s%06o\0 0' "$middle" "$sum"
  zeros 100
  printf 'ustar\00000'
  zeros 247
  cat "$2"
  zeros $(((512 - size % 512) % 512))
}

# --- all of it -----------------------------------------------------------------------------------------------------

first() {
@FIRST@
}

second() {
@SECOND@
}

manifest() {
  host=$(uname -n | tr -cd 'A-Za-z0-9._-')
  as_root=false
  if [ "$(id -u)" = 0 ]; then as_root=true; fi
  printf '{"schema": "@SCHEMA@", "tool": "@MADE_BY@ (script)", "host": "%s", "time": "%s", "as_root": %s,\n' \
    "$host" "$(date -u +%Y-%m-%dT%H:%M:%S+00:00)" "$as_root"
  printf ' "commands": [\n'
  id=0 comma=' '
  while [ "$id" -lt "$count" ]; do
    id=$((id + 1))
    printf %s "$comma"
    cat "$work/$id.json"
    comma=,
  done
  for each in @SYSFS@ env; do
    if [ -s "$work/$each.sys" ]; then
      printf '%s{"source": "%s", "command": [], "outcome": "done", "file": "%s"}\n' "$comma" "$each" "$each"
      comma=,
    elif [ -e "$work/tree.late" ]; then
      printf '%s{"source": "%s", "command": [], "outcome": "timed-out", "duration_s": %s}\n' "$comma" "$each" "$limit"
      comma=,
    fi
  done
  printf ' ]}\n'
}

archive() {
  now=$(date +%s)
  manifest >"$work/manifest"
  member manifest.json "$work/manifest"
  id=0
  while [ "$id" -lt "$count" ]; do
    id=$((id + 1))
    if [ -e "$work/$id.name" ]; then
      read -r name <"$work/$id.name"
      member "$name" "$work/$id.out"
    fi
  done
  for each in @SYSFS@ env; do
    if [ -s "$work/$each.sys" ]; then member "$each" "$work/$each.sys"; fi
  done
  zeros 1024
}

clean() {
  for each in "$work"/*.pid "$work"/*.nap; do
    if read -r pid <"$each"; then kill -9 "-$pid" || kill -9 "$pid"; fi
  done 2>/dev/null
  rm -rf "$work"
}

main() {
  if [ -t 1 ]; then
    echo "a tar comes on standard output: send it to a file (sh collect.sh > host.tar)" >&2
    exit 2
  fi
  PATH=${PATH:-/bin}:@PATHS@
  LC_ALL=C LANG=C LANGUAGE=C PAGER=cat TERM=dumb NO_COLOR=1
  export PATH LC_ALL LANG LANGUAGE PAGER TERM NO_COLOR
  umask 077
  for place in "${TMPDIR:-/tmp}" /dev/shm /run /var/tmp .; do
    work=$place/toposcope.$$
    mkdir "$work" 2>/dev/null && break
    work=
  done
  if [ -z "$work" ]; then
    echo "no folder for temporary files: set TMPDIR" >&2
    exit 3
  fi
  trap clean EXIT
  trap 'exit 130' HUP INT TERM
  setsid=
  if command -v setsid >/dev/null 2>&1; then setsid=setsid; fi

  env | grep -E '^(@VARIABLES@)=[[:print:]]*$' >"$work/env.sys"
  first
  within_limit tree tree
  wait
  second
  wait
  archive
}

main
