"""The verbs of the service, one module per noun; each opens its own transaction."""
