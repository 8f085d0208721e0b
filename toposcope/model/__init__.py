"""The machine as a graph: what there is, how it is linked, what the tools said of it."""
