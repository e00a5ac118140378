"""The pages: a small web server beside the referee that shows the table, sets it up and opens logged games.

It runs in a thread of its own and reads; the referee's loop never waits for it, and no other part imports it but the
command line.
"""
