"""What processes write down about their work: one line for each fact, and nothing secret in it.

- `hiding`: takes tokens, addresses and secrets out of a line
- `lines`: a record as one line, JSON or plain; where the lines of a process go
- `unquoted_requests`: gunicorn's own words about requests that are none, without quoting them
- `for_gunicorn`: the lines of gunicorn, and one for each request if wanted

May import `config` and `errors`; whoever starts a process says that lines are to be written.
"""
