"""The rules: each a function from a topology to findings."""
