def longest(numbers):
    """The length of the longest strictly rising series that is left when some numbers are struck out, for every beginning.

    The result has one number a place: the length for numbers[0 : place + 1].
    """
    ending, best = [], []
    for at, number in enumerate(numbers):
        length = 1
        for before in range(at):
            if numbers[before] < number and ending[before] >= length:
                length = ending[before] + 1
        ending.append(length)
        best.append(max(length, best[-1] if best else 0))
    return best
