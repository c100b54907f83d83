#!/bin/sh
# Four hospitals and a server, each a process of its own, on this machine: certificates, training over mutual TLS,
# evaluation, and what each hospital has of it in the end.
#   usage: examples/hospitals/run.sh [FOLDER]      (default: runs/hospitals)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=${COTERIE:-$here/../../build/coterie}
out=${1:-runs/hospitals}
port=${PORT:-7070}
rm -rf "$out"
mkdir -p "$out"

echo "== each hospital's rows in a file of its own"
"$program" data deal "$here/hospitals.toml" --out "$out/dealt"
hospitals=$(cd "$out/dealt" && ls ./*.csv | sed 's|^./||; s|\.csv$||')

echo "== certificates"
"$program" certs "$out/certs" --server 127.0.0.1 --clients "$(echo "$hospitals" | paste -sd, -)"

echo "== a server, and a client for each hospital"
"$program" serve "$out/dealt/serve.toml" --listen "127.0.0.1:$port" --certs "$out/certs" --out "$out/run" \
  --log "$out/server.jsonl" >"$out/server.txt" 2>&1 &
server=$!
for name in $hospitals; do
  "$program" join --server "127.0.0.1:$port" --certs "$out/certs" --name "$name" --data "$out/dealt/$name.csv" \
    --policy "$here/policy.toml" --out "$out/$name" --patience 60 >"$out/$name.txt" 2>&1 &
done
wait $server || { cat "$out/server.txt"; exit 1; }
wait

echo "== the server"
cat "$out/server.txt"
for name in $hospitals; do
  echo "== $name"
  cat "$out/$name.txt" "$out/$name/report.json"
done
