#!/bin/bash
# A job for Slurm that runs one experiment on several machines, and goes on with it until it has ended:
#   sbatch --nodes 4 slurm.sh exp.toml runs/exp
# The config, the data and the run folder must be on a file system that all nodes see.
#SBATCH --job-name=coterie
#SBATCH --ntasks-per-node=2        # ranks; two to four on a machine keep their threads near their memory
#SBATCH --cpus-per-task=16         # threads of a rank
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@300        # five minutes before the time is over
#SBATCH --requeue
#SBATCH --open-mode=append
config=$1
out=$2

# Debian's Open MPI is started by srun through PMIx; `srun --mpi=list` says what a cluster has.
srun --mpi=pmix --cpu-bind=cores --kill-on-bad-exit coterie run "$config" --fleet mpi \
  --threads "$SLURM_CPUS_PER_TASK" --out "$out" --resume --quiet &
step=$!

# srun hands the signal to all ranks: the run stops after its round, with a checkpoint.
asked=
trap 'asked=yes; kill -USR1 "$step"' USR1
wait "$step"
status=$?
while kill -0 "$step" 2>/dev/null; do # the signal ended the first wait
  wait "$step"
  status=$?
done

if [ -n "$asked" ] && [ ! -e "$out/summary.json" ]; then
  exec scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
