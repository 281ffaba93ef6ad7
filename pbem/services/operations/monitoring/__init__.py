"""Figures for whoever watches over the server: programs, and an operator at a terminal.

- `signs`: how long work has been waiting, and for how long it may
- `counters`: what processes count of their own work
- `exposition`: all of it as text for Prometheus

What the tables know is read from them when it is asked for, and so is right in every process of
every machine. Only what no table knows is counted, by the processes of one machine together.

May import every other room of the services; nothing is changed.
"""
