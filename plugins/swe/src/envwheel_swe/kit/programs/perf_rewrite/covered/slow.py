def covered(intervals):
    """The free gaps between intervals [start, end), as a sorted list of [start, end]; touching intervals leave no gap.

    Intervals may overlap and come in any order; an interval whose end is not above its start covers nothing.
    """
    merged = []
    for start, end in intervals:
        if end <= start:
            continue
        rest = []
        for other in merged:
            if other[0] <= end and start <= other[1]:
                start, end = min(start, other[0]), max(end, other[1])
            else:
                rest.append(other)
        merged = [*rest, [start, end]]
    merged.sort()
    return [[left[1], right[0]] for left, right in zip(merged, merged[1:])]
