SIZES = {"d": 24 * 60 * 60, "h": 60 * 60, "m": 60, "s": 1}


def short_duration(seconds):
    if not seconds >= 0:
        raise ValueError(seconds)
    if seconds == 0:
        return "0s"
    words = []
    for unit in SIZES:
        if seconds >= SIZES[unit]:
            words.append(str(seconds // SIZES[unit]) + unit)
            seconds %= SIZES[unit]
    return " ".join(words)
