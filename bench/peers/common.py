"""What the reference programs share: threads, the two ways to use them, timing, and the line of JSON they print."""

import argparse
import json
import os
import resource
import statistics
import threading
import time


def parse(description, clients, samples, more=(), variants=("loop", "plain", "batched")):
    """The command line. Sets the threads of the libraries too, which heed it only before they are loaded: call it first.

    `loop` (and `plain`) leaves the threads to the library, as programs do that never think of them; `batched` has one worker for each
    and single-threaded products inside, which is faster for products of this size.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--variant", choices=variants, default=variants[-1])
    parser.add_argument("--clients", type=int, default=clients)
    parser.add_argument("--samples", type=int, default=samples, help="of each client")
    parser.add_argument("--rounds", type=int, default=3, help="rounds to time")
    parser.add_argument("--warmup", type=int, default=1, help="rounds before those")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="only test that both variants do the same")
    for name, options in more:
        parser.add_argument(name, **options)
    args = parser.parse_args()
    inner = str(args.threads if args.variant != "batched" and not args.check else 1)
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[library + "_NUM_THREADS"] = inner
    return args


def on_workers(threads, items, work):
    """Calls work(worker, item) for every item, each worker taking the next one when it is free."""
    lock = threading.Lock()
    waiting = iter(items)
    failures = []

    def serve(worker):
        try:
            while True:
                with lock:
                    item = next(waiting, None)
                if item is None:
                    return
                work(worker, item)
        except BaseException as failure:
            failures.append(failure)

    all_workers = [threading.Thread(target=serve, args=(w,)) for w in range(threads)]
    for worker in all_workers:
        worker.start()
    for worker in all_workers:
        worker.join()
    if failures:
        raise failures[0]


def measure(args, peer, **more):
    """Times rounds of `peer` and prints them. A peer has round() and sizes(), the clients of each cluster."""
    for _ in range(args.warmup):
        peer.round()
    seconds = []
    for _ in range(args.rounds):
        begun = time.perf_counter()
        peer.round()
        seconds.append(time.perf_counter() - begun)
    print(json.dumps({
        "variant": args.variant, "seconds_per_round": round(statistics.median(seconds), 6),
        "best": round(min(seconds), 6), "rounds": args.rounds, "clients": args.clients, "samples": args.samples,
        "threads": args.threads, "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "assignments": peer.sizes(), **more}))
