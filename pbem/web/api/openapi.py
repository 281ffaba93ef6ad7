"""The JSON interface, described; tests/pbem/web/api/test_api.py holds the server to it."""

from __future__ import annotations

from typing import Any, get_args

from pbem.deadlines import Policy
from pbem.services.match import messages

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
STRINGS: Schema = {"type": "array", "items": STRING}


def _object(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _seconds(description: str) -> Schema:
    return {"type": "integer", "description": f"Seconds. {description}"}


def _answer(description: str, schema: Schema) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _fault(description: str) -> dict[str, Any]:
    return _answer(description, _ref("Error"))


HEAD = "The first 16 digits of the hash over all that was played; see /verify."


def _parameter(name: str, place: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "description": description,
        "schema": STRING,
    }


TOKEN = _parameter("token", "path", "The last part of the turn link …/t/<token> of a letter.")

SEEN: dict[str, Schema] = {
    "board": {**STRING, "description": "The board in plain ASCII, at most 72 columns."},
    "narration": {**STRING, "description": "The same in sentences, one fact a line."},
}

SCHEMAS: dict[str, Schema] = {
    "Turn": _object(
        {
            "match": STRING,
            "game": STRING,
            "seat": STRING,
            "turn": {"type": "integer"},
            "deadline": {"type": "string", "format": "date-time"},
            "sent": {"type": "integer", "description": "Orders played in this turn so far."},
            "head": {**STRING, "description": HEAD},
            "word_needed": {
                "type": "boolean",
                "description": "Whether orders need the word that stands in the letter.",
            },
            **SEEN,
            "view": {"type": "object", "description": "All that the seat may know."},
            "options": {"type": "array", "items": _ref("Option")},
        }
    ),
    "Option": _object(
        {
            "word": {**STRING, "description": "The next word of an order."},
            "label": {**STRING, "description": "What it means, in the player's language."},
            "leaf": {"type": "boolean", "description": "Whether the order is whole with it."},
        }
    ),
    "Orders": _object(
        {
            "orders": {**STRINGS, "description": "One order each; all are accepted or none."},
            "sent": {
                "type": "integer",
                "minimum": 0,
                "description": "Orders played in this turn before, as getTurn tells. Orders that"
                " were played behind as many are the same sending and not played again.",
            },
            "word": {**STRING, "description": "The word of the letter, where it is demanded."},
            "note": {
                **STRING,
                "maxLength": messages.LONGEST_MESSAGE,
                "description": "Plain text that the other seats read with these orders.",
            },
        },
        optional=("sent", "word", "note"),
    ),
    "Receipt": _object(
        {
            "accepted": {"type": "boolean", "enum": [True]},
            "events": {**STRINGS, "description": "What happened, as the seat may know it."},
            "waiting_on": {**STRINGS, "description": "The seats that are asked now."},
        }
    ),
    "Match": _object(
        {
            "match": STRING,
            "game": STRING,
            "status": {"type": "string", "enum": ["forming", "live", "over", "cancelled"]},
            "visibility": {
                "type": "string",
                "enum": ["public", "anonymous", "private"],
                "description": "Anonymous: seats tell no names. Private: it is in no list.",
            },
            "pace": {"type": "integer", "description": "Seconds that a turn brings."},
            "clock": _ref("Clock"),
            "commitment": {**STRING, "description": "To the secret of the shuffle."},
            "head": {
                "type": ["string", "null"],
                "description": f"{HEAD} Null before the match has begun.",
            },
            "seats": {"type": "array", "items": _ref("Seat")},
            "waiting_on": STRINGS,
            "result": {
                "type": ["string", "null"],
                "description": "The seats that won, or draw; null while the match goes on.",
            },
            **SEEN,
            "view": {"type": ["object", "null"], "description": "All that a spectator may know."},
        }
    ),
    "Seat": _object(
        {
            "seat": STRING,
            "name": {**STRING, "description": "The player's name, empty when none was given."},
            "status": {
                "type": "string",
                "enum": ["open", "invited", "joined", "declined", "vacant", "machine"],
            },
        }
    ),
    "Clock": _object(
        {
            "per_move": _seconds("For each turn; 0 where time is banked."),
            "bank": _seconds("That each seat begins with; 0 where there is no bank."),
            "increment": _seconds("That each turn adds to the bank."),
            "cap": _seconds("That the bank holds at most."),
            "hour": {
                "type": ["integer", "null"],
                "description": "The hour of the day at which turns end, if there is one.",
            },
            "zone": {**STRING, "description": "Where that hour and the days off are told."},
            "days_off": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "Weekdays on which no time runs; Monday is 0.",
            },
            "answer": _seconds("For a question in the middle of the turn of another seat."),
            "grace": _seconds("After the end of a turn."),
            "policy": {
                "type": "string",
                "enum": list(get_args(Policy)),
                "description": "What happens at the end of the grace.",
            },
            "most_pause": _seconds("That pauses and absences together may stop the match."),
        }
    ),
    "Error": _object(
        {
            "error": _object(
                {
                    "code": STRING,
                    "message": STRING,
                    "rule": {**STRING, "description": "The rule that a refused order breaks: 8.7."},
                    "rule_url": {**STRING, "description": "Where that rule can be read."},
                },
                optional=("rule", "rule_url"),
            )
        }
    ),
}

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "pbem",
        "version": "1",
        "description": "Board games by mail, for programs. A turn link is all that is needed.",
    },
    "paths": {
        "/api/v1/turn/{token}": {
            "get": {
                "operationId": "getTurn",
                "summary": "The board and the next words of an order",
                "parameters": [
                    TOKEN,
                    _parameter("prefix", "query", "The words so far, as in play vietnam."),
                ],
                "responses": {
                    "200": _answer("The turn as its seat sees it.", _ref("Turn")),
                    "400": _fault("No order begins with these words."),
                    "404": _fault("There is nothing under this address."),
                    "409": _fault("The turn is over; the message says what was played."),
                    "410": _fault("The link was replaced by a newer one."),
                },
            },
            "post": {
                "operationId": "sendOrders",
                "summary": "Send orders: all are accepted or none",
                "description": "The same sending again plays nothing and is answered as before, if"
                " it carries sent in its body or an Idempotency-Key.",
                "parameters": [
                    TOKEN,
                    _parameter(
                        "Idempotency-Key",
                        "header",
                        "A name for this sending, of the program's own choice, kept with the turn:"
                        " 1 to 255 printable ASCII characters.",
                    ),
                ],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": _ref("Orders")}},
                },
                "responses": {
                    "200": _answer("What was accepted and what it led to.", _ref("Receipt")),
                    "400": _fault(
                        "The body does not have the form of orders, or the key not its own."
                    ),
                    "403": _fault("word_needed: the word of the letter is missing or wrong."),
                    "404": _fault("There is nothing under this address."),
                    "409": _fault("The turn is over; the message says what was played."),
                    "410": _fault("The link was replaced by a newer one."),
                    "413": _fault("The body is too large."),
                    "422": _fault(
                        "An order cannot be given, the note cannot be sent, or the key stands for"
                        " other orders."
                    ),
                    "429": _fault("Too often, or too many wrong words; see Retry-After."),
                    "503": _fault("Busy, or out of disk space: nothing was changed."),
                },
            },
        },
        "/api/v1/match/{id}": {
            "get": {
                "operationId": "getMatch",
                "summary": "A match as everybody may see it",
                "parameters": [_parameter("id", "path", "The match, as in …/match/<id>.")],
                "responses": {
                    "200": _answer("The match.", _ref("Match")),
                    "404": _fault("No matches found."),
                },
            }
        },
    },
    "components": {"schemas": SCHEMAS},
}
