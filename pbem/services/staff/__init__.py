"""Moderators themselves: made, set up, logged in, logged out.

    moderators        made, reset and disabled from the command line; told by letter how to set up
    logins            setting up, logging in, showing again who one is, logging out
    admin_sessions    rows that can be ended at once; the browser holds only a random number
    passkeys          what a browser is asked (WebAuthn), and whether its answer is right
    passwords         long ones only, kept as Argon2id, for who uses no passkey
    one_time_codes    six digits that change every half minute, beside a password
    code_secrets      the secrets behind those codes, sealed

May import letters, self_service, agreements, match, seats, time, players and records.
"""
