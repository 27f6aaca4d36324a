def unique(numbers):
    """The numbers without their repetitions, in the order in which they first come."""
    seen = []
    for number in numbers:
        if number not in seen:
            seen.append(number)
    return seen
