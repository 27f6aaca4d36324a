def common(left, right):
    """The numbers of `left` that are in `right` too, in the order of `left`, as often as they are in `left`."""
    known = set(right)
    return [number for number in left if number in known]
