"""Results on a terminal: renderables of rich, for any width, in colour or not."""
