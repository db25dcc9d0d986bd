# Started by mpirun; MPI names the program with its feature `mpi`, which `make mpi` builds.
carry_out() {
    mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 "$(realpath "${MPI:-../target/debug/assay-mpi}")" \
        run healthy-ranks.toml --out "$record" </dev/null || [ $? -eq 1 ]
}
