"""What can go wrong in the service.

PbemError
 +-- ConfigError    the settings do not make a server; the message names the setting
"""


class PbemError(Exception):
    """Root of the family; the message is one line, fit to show whoever caused it."""


class ConfigError(PbemError):
    """The settings are wrong or only half there."""
