def clamp(value, low, high):
    if high < low:
        raise ValueError(f"{low} > {high}")
    return min(max(value, low), high)
