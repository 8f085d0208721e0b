"""Shows results: terminal, diagram, page, exports."""
