"""The correspondence service: board games by mail, over the rules in `engine`.

    cli               the `pbem` command
    app               the web application, put together
    worker            the worker: a ticker that asks every few seconds what is due
    web               the pages
    services          what the service does, in twelve rooms
    sealing           what the database holds and nobody may read without the keys
    return_addresses  addresses of ours that replies and bounces come to
    mail              letters: what they say, how they become bytes, how these are handed over
    incoming          mails that come in, read with care, and the ways by which they come
    links             signed links: one salt per purpose, one spelling per link
    key_ring          the keys of the settings as this process has them
    db                the database: connection, transactions, tables, migrations
    logs              lines that processes write about their work, without anything secret
    deadline_text     the clock of a match in words
    config            the settings, read once from the environment
    i18n              what pages and letters say, in the language of the reader
    deadlines         the clock of a match, as arithmetic
    board_shapes      how letters show boards, as their reader wishes
    server_timeline   which course of the server this process serves: a restore begins another
    errors            what can go wrong in the service
    plural            a message with a form for one and a form for many

May import `engine`. Each may import what stands below it here; `app` and `worker` do not know each
other, nor do `sealing` and `return_addresses`, nor `mail`, `incoming`, `links` and `key_ring`, nor
`config` and `i18n`, nor `deadlines`, `board_shapes`, `server_timeline` and `errors`.
"""
