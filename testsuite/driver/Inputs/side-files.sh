# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# side-files.sh AGGLOMCC TMPDIR HOST COMMAND...: each command, in the folder ours by agglomcc with that host compiler and in
# the folder host by the compiler itself, ends with the same status and leaves files of the same names.
agglomcc=$1 temporary=$2 host=$3
shift 3
for command; do
  for folder in ours host; do
    (
      cd "$folder" || exit 1
      find . -type f ! -name '*.c' -exec rm -f {} +
      case $folder in
      ours) TMPDIR=$temporary "$agglomcc" -fagglom-host-compiler="$host" -w $command ;;
      host) "$host" -w $command ;;
      esac >/dev/null 2>&1
      echo "status $?"
      find . -type f | sort
    ) >"$folder.list"
  done
  diff ours.list host.list || { echo "$host $command"; exit 1; }
done
