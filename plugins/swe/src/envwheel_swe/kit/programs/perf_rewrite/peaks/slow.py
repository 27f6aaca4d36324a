def peaks(numbers, width):
    """The highest number of every window of `width` neighbours, from left to right; [] when there is no whole window."""
    return [max(numbers[at : at + width]) for at in range(len(numbers) - width + 1)]
