def unique(numbers):
    """The numbers without their repetitions, in the order in which they first come."""
    return list(dict.fromkeys(numbers))
