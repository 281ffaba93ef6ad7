"""What other mail servers look up about this one, asked of a name server on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.config import Config
from pbem.services.operations.doctor import dns_records, findings
from tests.kit.dns_zone import DnsZone

CONFIG = Config(
    mail_from="pbem@play.example.org", mail_domain="play.example.org", lmtp_listen="/run/x"
)
GOOD = {
    ("play.example.org", "MX"): ["10 mail.example.org."],
    ("play.example.org", "TXT"): ['"some=other"', '"v=spf1 mx " "-all"'],
    ("s1._domainkey.play.example.org", "TXT"): ['"v=DKIM1; k=rsa; p=MIIB"'],
    ("_dmarc.example.org", "TXT"): ['"v=DMARC1; p=quarantine"'],
}
SPF, DKIM = ("play.example.org", "TXT"), ("s1._domainkey.play.example.org", "TXT")
DMARC = ("_dmarc.example.org", "TXT")


@pytest.fixture
def zone() -> Iterator[DnsZone]:
    with DnsZone(dict(GOOD)) as zone:
        yield zone


def found(zone: DnsZone, config: Config = CONFIG, selector: str = "s1") -> dict[str, str]:
    checks = dns_records.checks(config, zone.resolver(), selector)
    return {one.check: one.state for one in findings.run(checks)}


def words(zone: DnsZone, check: str) -> str:
    checks = dns_records.checks(CONFIG, zone.resolver(), "s1")
    return next(one.words for one in findings.run(checks) if one.check == check)


def test_what_is_published_right_is_ok(zone: DnsZone) -> None:
    assert found(zone) == dict.fromkeys(("mx", "spf", "dkim", "dmarc"), "ok")
    assert words(zone, "spf") == "v=spf1 mx -all"
    assert "mail.example.org" in words(zone, "mx")


@pytest.mark.parametrize(
    ("place", "records", "check", "advice"),
    [
        (SPF, ['"hello"'], "spf", "v=spf1 mx -all"),
        (SPF, ['"v=spf1 mx -all"', '"v=spf1 a -all"'], "spf", "has 2 SPF records"),
        (SPF, ['"v=spf1 +all"'], "spf", "lets everybody send"),
        (DKIM, ['"v=DKIM1"'], "dkim", "no key at s1._domainkey.play.example.org"),
        (DKIM, ['"v=DKIM1; p="'], "dkim", "is withdrawn"),
        (DMARC, ['"v=DMARC1"'], "dmarc", "v=DMARC1; p=none"),
        (("play.example.org", "MX"), [], "mx", "do not arrive"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    zone: DnsZone, place: tuple[str, str], records: list[str], check: str, advice: str
) -> None:
    zone.records[place] = records
    assert [one for one, state in found(zone).items() if state == "todo"] == [check]
    assert advice in words(zone, check)


def test_names_that_there_are_not_are_something_to_do(zone: DnsZone) -> None:
    zone.records.clear()
    assert found(zone) == dict.fromkeys(("mx", "spf", "dkim", "dmarc"), "todo")


def test_without_mail_coming_in_no_mx_is_needed(zone: DnsZone) -> None:
    del zone.records["play.example.org", "MX"]
    config = Config(mail_from=CONFIG.mail_from, mail_domain=CONFIG.mail_domain)
    assert found(zone, config)["mx"] == "ok"


def test_dkim_needs_the_name_of_its_selector(zone: DnsZone) -> None:
    assert found(zone, selector="")["dkim"] == "unknown"
    assert not any("domainkey" in name for name, _ in zone.asked)


@pytest.mark.whole
def test_a_silent_resolver_is_no_fault_of_this_server(
    zone: DnsZone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dns_records, "PATIENCE", 0.2)
    zone.is_silent = True
    assert found(zone) == dict.fromkeys(("mx", "spf", "dkim", "dmarc"), "unknown")


def test_without_a_resolver_nothing_is_asked() -> None:
    checks = dns_records.checks(CONFIG, None, "s1")
    assert {one.state for one in findings.run(checks)} == {"unknown"}


def test_localhost_is_not_looked_up(zone: DnsZone) -> None:
    assert set(found(zone, Config()).values()) == {"unknown"}
    assert zone.asked == []
