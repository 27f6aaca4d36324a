def common(left, right):
    """The numbers of `left` that are in `right` too, in the order of `left`, as often as they are in `left`."""
    found = []
    for number in left:
        if number in right:
            found.append(number)
    return found
