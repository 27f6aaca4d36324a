def anagrams(words):
    """Groups (lists) of words that are made of the same letters; groups and words in the order in which they first come."""
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(word)), []).append(word)
    return list(groups.values())
