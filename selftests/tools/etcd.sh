# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A store for tests: members of etcd on loopback, in namespaces of their own. Sourced.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$top/selftests/lib/help.sh"
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
if [ -z "${STORE_NETNS:-}" ] && [ "$(id -u)" -eq 0 ]; then
	# nothing that a test started outlives it
	STORE_NETNS=1 exec unshare -n -p -m -f --kill-child --mount-proc "$0" "$@"
fi
# shellcheck source=selftests/lib/tap.sh
. "$top/selftests/lib/tap.sh"
# shellcheck source=selftests/lib/wait.sh
. "$top/selftests/lib/wait.sh"
. "$here/status.sh"

symphony=$top/out/tools/symphony
export ETCDCTL_API=3

missing=$("$top/scripts/tools-missing" | paste -s -d ' ')
[ -z "$missing" ] || tap_skip_all "not installed: $missing"
[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
for command in etcd etcdctl jq curl; do
	command -v "$command" > /dev/null || tap_skip_all "needs $command"
done
make --no-print-directory -s -C "$top" tools > /dev/null || tap_skip_all "the command does not build"

# Its files are many and small, and need not outlive the test.
tmp=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
declare -A member_pid
finish()
{
	# shellcheck disable=SC2086	# words are meant
	kill -KILL "${member_pid[@]}" ${others:-} ${pid:-} 2> "$tmp/kill"
	# what else is left ends with the namespace
	# shellcheck disable=SC2086
	wait "${member_pid[@]}" ${others:-} ${pid:-} 2> "$tmp/kill"
	rm -rf "$tmp"
}
trap finish EXIT
ip link set lo up

# member_url I: of a member for clients.
member_url()
{
	echo "${scheme:-http}://127.0.0.$1:2379"
}

# member_start I COUNT [ARG]...: start a member of so many.
member_start()
{
	local i=$1 count=$2 j peers=()

	shift 2
	for ((j = 1; j <= count; j++)); do
		peers+=("m$j=http://127.0.0.$j:2380")
	done
	etcd --name "m$i" --data-dir "$tmp/m$i" --unsafe-no-fsync --logger zap \
		--listen-client-urls "$(member_url "$i")" \
		--advertise-client-urls "$(member_url "$i")" \
		--listen-peer-urls "http://127.0.0.$i:2380" \
		--initial-advertise-peer-urls "http://127.0.0.$i:2380" \
		--initial-cluster "$(IFS=,; echo "${peers[*]}")" "$@" >> "$tmp/m$i.log" 2>&1 &
	member_pid[$i]=$!
}

# member_kill I: as the power does it.
member_kill()
{
	kill -KILL "${member_pid[$1]}"
	wait "${member_pid[$1]}" 2> "$tmp/kill"
	unset "member_pid[$1]"
}

# healthy I: a member has a leader and answers.
healthy()
{
	curl -s -m 2 "${curl_args[@]}" "$(member_url "$1")/health" | grep -q true
}
curl_args=()

# authority: of our own; certificate NAME: that it has signed.
authority()
{
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$tmp/ca.key" -subj /CN=ca -days 2 \
		-out "$tmp/ca.crt"
}
certificate()
{
	openssl req -newkey rsa:2048 -nodes -keyout "$tmp/$1.key" -subj "/CN=$1" -out "$tmp/$1.csr" &&
		openssl x509 -req -in "$tmp/$1.csr" -CA "$tmp/ca.crt" -CAkey "$tmp/ca.key" \
			-CAcreateserial -days 2 -out "$tmp/$1.crt" -extfile - <<< "subjectAltName=IP:127.0.0.2"
}

# member_start_tls I CLIENT: a member of its own with the certificate "member" that wants one
# of who asks; healthy() shows the client's.
member_start_tls()
{
	scheme=https
	member_start "$1" "$1" --initial-cluster "m$1=http://127.0.0.$1:2380" \
		--cert-file "$tmp/member.crt" --key-file "$tmp/member.key" \
		--trusted-ca-file "$tmp/ca.crt" --client-cert-auth
	curl_args=(--cacert "$tmp/ca.crt" --cert "$tmp/$2.crt" --key "$tmp/$2.key")
}

# ctl ARG...: etcdctl.
ctl()
{
	etcdctl --endpoints "$SYMPHONY_ETCD" "$@"
}

# keys PREFIX: how many begin so.
keys()
{
	ctl get "$1" --prefix --keys-only | grep -c "^$1"
}

# key_count PREFIX COUNT: whether so many do.
key_count()
{
	[ "$(keys "$1")" -eq "$2" ]
}

# job ARG...: symphony job.
job()
{
	"$symphony" job "$@"
}
