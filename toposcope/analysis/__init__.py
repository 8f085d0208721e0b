"""Answers questions about a topology: routes, bottlenecks, findings."""
