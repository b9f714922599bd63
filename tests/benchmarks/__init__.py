"""Measurements, as ratios within one run; `make bench` prints the tables and keeps them in docs/benchmarks.md."""
