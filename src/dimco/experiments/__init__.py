"""Experiments: one file for each table or figure; config, run, render."""
