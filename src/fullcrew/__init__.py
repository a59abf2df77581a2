"""A batch scheduler for Kubernetes: a job sails with its full crew, or not at all."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
