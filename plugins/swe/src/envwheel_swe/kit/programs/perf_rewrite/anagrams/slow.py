def anagrams(words):
    """Groups (lists) of words that are made of the same letters; groups and words in the order in which they first come."""
    groups = []
    for word in words:
        for group in groups:
            if sorted(group[0]) == sorted(word):
                group.append(word)
                break
        else:
            groups.append([word])
    return groups
