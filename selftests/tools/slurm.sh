#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Jobs of Slurm get numbers and a router with symphonyd their rules: slurmctld, two slurmd and
# munged of the system, with configuration and sockets of their own. Prints TAP 13.
. "$(dirname "$0")/etcd.sh"
. "$here/router.sh"
. "$here/followed.sh"
set -u

for command in slurmctld slurmd munged sbatch scontrol squeue scancel; do
	command -v "$command" > /dev/null || tap_skip_all "needs $command"
done
slurmd -h 2>&1 | grep -q -e ' -N' || tap_skip_all "slurmd does not run twice on a machine"

ip link add td0 type dummy
tc qdisc add dev td0 root handle 7: egress_block 5 symphony job filter 2> "$tmp/err" ||
	tap_skip_all "no qdisc symphony: $(cat "$tmp/err")"
member_start 1 1
SYMPHONY_ETCD=$(member_url 1)
export SYMPHONY_ETCD SYMPHONY_STORE_CONF=$tmp/store.conf SYMPHONY_HOSTS=$tmp/hosts
export SLURM_CONF=$tmp/slurm.conf PATH=$top/out/tools:$PATH
printf 'ttl 3600\ngrace 3600\nlimit 60\n' > "$SYMPHONY_STORE_CONF"
printf 'n1 192.0.2.1\nn2 192.0.2.2,2001:db8::2\n' > "$SYMPHONY_HOSTS"
wait_for 120 healthy 1 || tap_skip_all "etcd does not start: $(tail -n 1 "$tmp/m1.log")"

# The resolver takes no address while there is none but 127.0.0.1.
ip address add 198.51.100.1/32 dev lo

chmod 755 "$tmp"
mkdir "$tmp/munge" "$tmp/state"
(umask 077; head -c 1024 /dev/urandom > "$tmp/munge/key")
munged --foreground --force --key-file "$tmp/munge/key" --socket "$tmp/munge/socket" \
	--pid-file "$tmp/munge/pid" --log-file "$tmp/munge/log" --seed-file "$tmp/munge/seed" > "$tmp/munge/out" 2>&1 &
others=$!
# The guest has no control groups, which it does not use.
echo "CgroupPlugin=cgroup/v1" > "$tmp/cgroup.conf"
cat > "$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$(uname -n)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
ReturnToService=2
JobRequeue=1
KillWait=1
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool.%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.%n.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.%n.log
PrologSlurmctld=$tmp/prolog_slurmctld
EpilogSlurmctld=$tmp/epilog_slurmctld
TaskProlog=$tmp/task_prolog
NodeName=n1 NodeHostname=$(uname -n) NodeAddr=127.0.0.1 Port=17001 CPUs=1
NodeName=n2 NodeHostname=$(uname -n) NodeAddr=127.0.0.1 Port=17002 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES State=UP MaxTime=INFINITE
END

# Slurm starts them with an environment of its own.
for script in prolog_slurmctld epilog_slurmctld task_prolog; do
	cat > "$tmp/$script" <<-END
		#!/bin/sh
		export PATH="$PATH" SLURM_CONF="$SLURM_CONF" SYMPHONY_ETCD="$SYMPHONY_ETCD"
		export SYMPHONY_STORE_CONF="$SYMPHONY_STORE_CONF" SYMPHONY_HOSTS="$SYMPHONY_HOSTS" SYMPHONY_WAIT=60
		exec "$top/tools/slurm/$script"
	END
	chmod +x "$tmp/$script"
done

start_controller()
{
	slurmctld -D > "$tmp/slurmctld.out" 2>&1 &
	controller=$!
	others="$others $controller"
}
nodes_idle()
{
	[ "$(sinfo -h -N -o '%N %t' | grep -c ' idle$')" -eq 2 ]
}
start_controller
for node in n1 n2; do
	mkdir "$tmp/spool.$node"
	slurmd -D -N "$node" > "$tmp/slurmd.out" 2>&1 &
	others="$others $!"
done
wait_for 120 nodes_idle ||
	tap_skip_all "Slurm does not start: $(tail -n 1 "$tmp/slurmctld.log" "$tmp/slurmd.n1.log" | paste -s -d ' ')"

printf 'block 5\nrun %s\nrouter r1\ncluster default\netcd %s\nlimit 3\n' "$tmp/run" \
	"$SYMPHONY_ETCD" > "$conf"
begin
tap_check "a router" wait_for 120 well

# submit [OPTION]... [COMMAND]: a job of two nodes; its ID.
submit()
{
	local command=${*: -1}

	sbatch --parsable -N 2 -o "$tmp/job.out" -e "$tmp/job.err" "${@:1:$#-1}" --wrap "$command"
}
state()
{
	scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'
}
in_state()
{
	[ "$(state "$1")" = "$2" ]
}
has_number()
{
	key_count "/symphony/ids/default/$1" 1
}
has_none()
{
	key_count "/symphony/ids/default/$1" 0
}

# no_rules: none on the router
no_rules()
{
	[ -z "$(rules)" ]
}

id=$(submit "srun -N 2 -n 1 sh -c 'tc -j filter show block 5 > $tmp/during; echo \$SYMPHONY_JOB; symphony -j job list'")
tap_check "a job of two hosts" wait_for 120 in_state "$id" COMPLETED
tap_equal "its processes know the number" 1 "$(head -n 1 "$tmp/job.out")"
tap_equal "the store knew it before the first step" \
	"[{\"job\":1,\"cluster\":\"default\",\"id\":\"$id\",\"hosts\":[\"192.0.2.1\",\"192.0.2.2\",\"2001:db8::2\"]}]" \
	"$(sed -n 2p "$tmp/job.out")"
tap_equal "the router had its rules" "$(printf '192.0.2.%d 1:1\n' 1 2; echo "2001:db8::2 1:1")" \
	"$(rules_of < "$tmp/during")"
tap_check "afterwards it is gone" wait_for 120 has_none "$id"
tap_check "and so are the rules" wait_for 120 no_rules
tap_check "its number stays taken" key_count /symphony/used/0001 1

id=$(submit "sleep infinity")
tap_check "a job that goes on" wait_for 120 in_state "$id" RUNNING
tap_check "has a number" has_number "$id"
kill "$controller"
wait "$controller" 2> "$tmp/kill"
start_controller
tap_check "slurmctld is restarted" wait_for 120 in_state "$id" RUNNING
tap_check "the job keeps its number" has_number "$id"
tap_check "and its rules" in_force
number=$(ctl get --print-value-only "/symphony/ids/default/$id" | jq .job)
scontrol requeue "$id"
tap_check "requeued" wait_for 120 has_none "$id"
# Slurm would wait for two minutes.
runs_again()
{
	scontrol update JobId="$id" StartTime=now 2> "$tmp/err"
	in_state "$id" RUNNING
}
tap_check "it runs again" wait_for 300 runs_again
tap_check "with another number" test "$(ctl get --print-value-only "/symphony/ids/default/$id" | jq .job)" -gt "$number"
scancel "$id"
tap_check "cancelled" wait_for 120 has_none "$id"
tap_check "so are its rules" wait_for 120 no_rules

id=$(submit -t 1 "sleep infinity")
tap_check "a job with a minute" wait_for 120 has_number "$id"
tap_check "timed out" wait_for 240 has_none "$id"
tap_equal "as Slurm says" TIMEOUT "$(state "$id")"
tap_check "its rules, too" wait_for 120 no_rules

wait_for 120 nodes_idle
printf 'ttl 3600\ngrace 3600\nlimit 2\n' > "$SYMPHONY_STORE_CONF"
ended=$(submit "sleep infinity")
tap_check "a job with a number" wait_for 120 in_state "$ended" RUNNING
tap_check "as before" has_number "$ended"
before=$(rules)
member_kill 1
scancel "$ended"
tap_check "the store is away when it ends" wait_for 120 nodes_idle
tap_equal "its rules stay" "$before" "$(rules)"
id=$(submit "echo without: \$SYMPHONY_JOB")
tap_check "and when another begins, which runs" wait_for 240 in_state "$id" COMPLETED
tap_equal "without a number" "without:" "$(cat "$tmp/job.out")"
member_start 1 1
tap_check "the store is back" wait_for 120 healthy 1
tap_check "the first job's number has ended" wait_for 240 has_none "$ended"
tap_check "and its rules" wait_for 120 no_rules
tap_done
