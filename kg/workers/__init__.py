"""Answer queries in processes that can be killed.

The store has no time limit and no memory limit, and a query can break it and its process. So a
*fork server* (``python -m kg.workers``), single-threaded, loads the store once and forks *workers*,
which share its memory. A worker answers one query after another over a socket of its own; the
kernel ends it when it passes its time or its memory. The *pool*, in the process that wants answers,
lends workers, and has the fork server replace those that end.

    pool  --control-->  fork server  --forks-->  worker  <--frames-->  pool
"""
