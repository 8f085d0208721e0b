"""toposcope: how a GPU or NPU server is wired, how fast each segment is, and which segment is slow."""

__version__ = "0.1.0"
