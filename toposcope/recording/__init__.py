"""Makes recordings and reads them: a folder, an archive, a file, standard input, a live host."""
