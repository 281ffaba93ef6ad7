"""What other mail servers look up about this one: MX, SPF, DKIM and DMARC."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dns.exception import DNSException
from dns.resolver import NXDOMAIN, NoAnswer, NoResolverConfiguration, Resolver

from pbem.config import Config
from pbem.services.operations.doctor.findings import Check, Finding, ok, todo, unknown

PATIENCE = 3.0
"""Seconds for all servers together to answer one question."""
LOCAL = ("localhost", "invalid")
"""Ends of domains that nobody looks up."""


class Silent(Exception):
    """The resolver does not answer, so that nobody knows what is published."""


def system_resolver() -> Resolver | None:
    """That of this machine, if it has one."""
    try:
        return Resolver()
    except NoResolverConfiguration:
        return None


def checks(
    config: Config, resolver: Resolver | None, selector: str = ""
) -> list[tuple[str, Check]]:
    """DKIM is looked for under the selector that the mail server signs with."""
    sender = config.mail_from.rpartition("@")[2]
    return [
        ("mx", partial(_mx, config, resolver)),
        ("spf", partial(_spf, config.mail_domain, resolver)),
        ("dkim", partial(_dkim, sender, selector, resolver)),
        ("dmarc", partial(_dmarc, sender, resolver)),
    ]


def _mx(config: Config, resolver: Resolver | None) -> Iterator[Finding]:
    domain = config.mail_domain
    if (unasked := _unasked("mx", domain, resolver)) is not None:
        yield unasked
        return
    try:
        found = _records(resolver, domain, "MX")
    except Silent:
        yield _silent("mx")
        return
    if found:
        yield ok("mx", f"mail for {domain} goes to {', '.join(sorted(found))}")
    elif config.takes_mail:
        yield todo("mx", f"no MX record for {domain}: replies and bounces do not arrive")
    else:
        yield ok("mx", f"none for {domain}, and no mail is taken in")


def _spf(domain: str, resolver: Resolver | None) -> Iterator[Finding]:
    """Of the domain that envelopes name."""
    if (unasked := _unasked("spf", domain, resolver)) is not None:
        yield unasked
        return
    try:
        found = [one for one in _records(resolver, domain, "TXT") if _begins(one, "v=spf1")]
    except Silent:
        yield _silent("spf")
        return
    if not found:
        yield todo("spf", f"publish a TXT record for {domain}, such as: v=spf1 mx -all")
    elif len(found) > 1:
        yield todo("spf", f"{domain} has {len(found)} SPF records; keep one of them")
    elif "+all" in found[0].split() or "all" in found[0].split():
        yield todo("spf", f"{domain} lets everybody send; end the record with -all or ~all")
    else:
        yield ok("spf", found[0])


def _dkim(domain: str, selector: str, resolver: Resolver | None) -> Iterator[Finding]:
    if not selector:
        yield unknown("dkim", "name the selector that your mail server signs with: --dkim SELECTOR")
        return
    name = f"{selector}._domainkey.{domain}"
    if (unasked := _unasked("dkim", domain, resolver)) is not None:
        yield unasked
        return
    try:
        found = _records(resolver, name, "TXT")
    except Silent:
        yield _silent("dkim")
        return
    keys = [tags["p"] for tags in map(_tags, found) if "p" in tags]
    if not keys:
        yield todo("dkim", f"no key at {name}; publish the one that your mail server signs with")
    elif not keys[0]:
        yield todo("dkim", f"the key at {name} is withdrawn; publish the one in use")
    else:
        yield ok("dkim", f"a key at {name}")


def _dmarc(domain: str, resolver: Resolver | None) -> Iterator[Finding]:
    """Of the domain that readers see; that of its organisation counts, too."""
    if (unasked := _unasked("dmarc", domain, resolver)) is not None:
        yield unasked
        return
    above = ".".join(domain.split(".")[-2:])
    try:
        for place in dict.fromkeys((domain, above)):
            records = _records(resolver, f"_dmarc.{place}", "TXT")
            found = [one for one in records if _begins(one, "v=dmarc1")]
            if len(found) == 1 and "p" in _tags(found[0]):
                yield ok("dmarc", f"{found[0]} at _dmarc.{place}")
                return
    except Silent:
        yield _silent("dmarc")
        return
    yield todo("dmarc", f"publish a TXT record at _dmarc.{domain}, such as: v=DMARC1; p=none")


# --- looking up -----------------------------------------------------------------------------------


def _unasked(check: str, domain: str, resolver: Resolver | None) -> Finding | None:
    """Why there is nothing to be looked up."""
    if domain.rpartition(".")[2] in LOCAL:
        return unknown(check, f"{domain} is not looked up anywhere")
    if resolver is None:
        return unknown(check, "this machine has no resolver; look it up elsewhere")
    return None


def _silent(check: str) -> Finding:
    return unknown(check, "the resolver does not answer; look it up elsewhere")


def _records(resolver: Resolver | None, name: str, kind: str) -> list[str]:
    """Values of all records of a name, as text; none where there is no such name."""
    assert resolver is not None, "it was asked for before"
    try:
        answer = resolver.resolve(name, kind, lifetime=PATIENCE, search=False)
    except (NXDOMAIN, NoAnswer):
        return []
    except DNSException as error:
        raise Silent from error
    if kind == "MX":
        return [str(record.exchange).rstrip(".") for record in answer]
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]


def _begins(record: str, version: str) -> bool:
    return record.lower().replace(" ", "").startswith(version)


def _tags(record: str) -> dict[str, str]:
    """The parts of `v=DKIM1; p=...`."""
    pairs = (part.partition("=") for part in record.split(";"))
    return {name.strip().lower(): found.strip() for name, mark, found in pairs if mark}
