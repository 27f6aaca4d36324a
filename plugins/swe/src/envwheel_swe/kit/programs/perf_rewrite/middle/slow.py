class Middle:
    """Numbers, each as often as it was put in, and their middle.

    - add(number), remove(number): once; removing a number that is not there changes nothing.
    - middle(): of an odd count the one in the middle, of an even count the lower of the two; None when there is none.
    - spread(): the highest less the lowest; 0 when there is none.
    """

    def __init__(self):
        self.numbers = []

    def add(self, number):
        self.numbers.append(number)

    def remove(self, number):
        if number in self.numbers:
            self.numbers.remove(number)

    def middle(self):
        return sorted(self.numbers)[(len(self.numbers) - 1) // 2] if self.numbers else None

    def spread(self):
        return max(self.numbers) - min(self.numbers) if self.numbers else 0
