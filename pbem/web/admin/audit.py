"""The log of acts as a page: the newest first, with the check of what is shown or of all."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from pbem.services.records import audit_log
from pbem.web.admin.door import for_moderator

pages = Blueprint("audit", __name__)

A_PAGE = 50
LARGEST = 2**62


@pages.get("/audit")
@for_moderator()
def page() -> str:
    before = request.args.get("before", 0, type=int)
    shown = audit_log.newest(A_PAGE, before if 0 < before < LARGEST else None)
    checks_all = request.args.get("check") == "all"
    return render_template(
        "web/admin/audit.html",
        entries=shown,
        head=audit_log.head(),
        checks_all=checks_all,
        fault=audit_log.verify() if checks_all else audit_log.fault_among(shown[::-1]),
        older=shown[-1].seq if len(shown) == A_PAGE and shown[-1].seq > 1 else None,
    )
