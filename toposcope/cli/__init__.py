"""The command line: one command a file, options to one app call, a result to an exit code."""
