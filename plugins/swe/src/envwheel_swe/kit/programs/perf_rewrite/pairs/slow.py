def pairs(numbers, total):
    """How many pairs of places i < j have numbers[i] + numbers[j] == total."""
    count = 0
    for i in range(len(numbers)):
        for j in range(i + 1, len(numbers)):
            if numbers[i] + numbers[j] == total:
                count += 1
    return count
