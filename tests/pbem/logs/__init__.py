"""Lines that processes write, and what never stands in them."""
