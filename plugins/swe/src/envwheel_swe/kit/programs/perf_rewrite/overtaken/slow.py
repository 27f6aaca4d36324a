def overtaken(numbers):
    """For every place, how many later places hold a smaller number."""
    return [sum(later < number for later in numbers[at + 1 :]) for at, number in enumerate(numbers)]
