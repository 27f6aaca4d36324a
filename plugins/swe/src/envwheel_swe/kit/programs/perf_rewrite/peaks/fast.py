from collections import deque


def peaks(numbers, width):
    """The highest number of every window of `width` neighbours, from left to right; [] when there is no whole window."""
    found, falling = [], deque()
    for at, number in enumerate(numbers):
        while falling and numbers[falling[-1]] <= number:
            falling.pop()
        falling.append(at)
        if falling[0] <= at - width:
            falling.popleft()
        if at >= width - 1:
            found.append(numbers[falling[0]])
    return found
