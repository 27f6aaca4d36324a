"""Short names for long durations."""


def short_duration(seconds):
    """A number of seconds (a whole number, not negative) as text such as "2d 3h 4m 5s".

    Units that are zero are left out; 0 seconds is "0s". A negative number is a ValueError.
    """
    if seconds < 0:
        raise ValueError("negative duration")
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"
