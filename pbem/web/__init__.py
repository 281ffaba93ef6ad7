"""The pages: they read requests and show answers, and leave deciding to others."""

from pbem.web.rules import pages

__all__ = ["pages"]
