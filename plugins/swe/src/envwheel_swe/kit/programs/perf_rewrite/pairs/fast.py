def pairs(numbers, total):
    """How many pairs of places i < j have numbers[i] + numbers[j] == total."""
    count, seen = 0, {}
    for number in numbers:
        count += seen.get(total - number, 0)
        seen[number] = seen.get(number, 0) + 1
    return count
