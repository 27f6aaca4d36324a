def overtaken(numbers):
    """For every place, how many later places hold a smaller number."""
    order = {number: at for at, number in enumerate(sorted(set(numbers)), 1)}
    tree = [0] * (len(order) + 1)
    found = []
    for number in reversed(numbers):
        at, below = order[number] - 1, 0
        while at > 0:
            below += tree[at]
            at -= at & -at
        found.append(below)
        at = order[number]
        while at < len(tree):
            tree[at] += 1
            at += at & -at
    return found[::-1]
