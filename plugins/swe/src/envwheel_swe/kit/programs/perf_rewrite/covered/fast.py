def covered(intervals):
    """The free gaps between intervals [start, end), as a sorted list of [start, end]; touching intervals leave no gap.

    Intervals may overlap and come in any order; an interval whose end is not above its start covers nothing.
    """
    gaps, reached = [], None
    for start, end in sorted(pair for pair in intervals if pair[1] > pair[0]):
        if reached is not None and start > reached:
            gaps.append([reached, start])
        reached = end if reached is None else max(reached, end)
    return gaps
