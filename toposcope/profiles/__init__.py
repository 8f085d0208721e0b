"""Reads the reference machines and the catalogue of figures, and matches a machine to a profile."""
