from bisect import bisect_left


def longest(numbers):
    """The length of the longest strictly rising series that is left when some numbers are struck out, for every beginning.

    The result has one number a place: the length for numbers[0 : place + 1].
    """
    tails, best = [], []
    for number in numbers:
        at = bisect_left(tails, number)
        tails[at : at + 1] = [number]
        best.append(len(tails))
    return best
