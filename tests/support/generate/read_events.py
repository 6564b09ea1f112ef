"""Prints what TensorBoard reads in a folder's runs (scripts/lib/tensorboard.sh).

Usage: python3 tests/support/generate/read_events.py FOLDER
"""
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

for run in ("train", "validation"):
    events = EventAccumulator(f"{sys.argv[1]}/{run}")
    events.Reload()
    for tag in sorted(events.Tags()["scalars"]):
        for each in events.Scalars(tag):
            print(f"{run} {tag} {each.step} {each.value:.6g}")
    for tag in sorted(events.Tags()["histograms"]):
        for each in events.Histograms(tag):
            print(f"{run} {tag} {each.step} of {each.histogram_value.num:.6g}")
