"""Attacks on a really running production server: nginx, gunicorn, worker, a mail server."""
