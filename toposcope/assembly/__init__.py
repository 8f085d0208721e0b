"""Turns records, a profile and the catalogue into a topology, in phases."""
