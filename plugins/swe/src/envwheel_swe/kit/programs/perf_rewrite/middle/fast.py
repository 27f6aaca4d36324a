from bisect import bisect_left, insort


class Middle:
    """Numbers, each as often as it was put in, and their middle.

    - add(number), remove(number): once; removing a number that is not there changes nothing.
    - middle(): of an odd count the one in the middle, of an even count the lower of the two; None when there is none.
    - spread(): the highest less the lowest; 0 when there is none.
    """

    def __init__(self):
        self.numbers = []

    def add(self, number):
        insort(self.numbers, number)

    def remove(self, number):
        at = bisect_left(self.numbers, number)
        if self.numbers[at : at + 1] == [number]:
            del self.numbers[at]

    def middle(self):
        return self.numbers[(len(self.numbers) - 1) // 2] if self.numbers else None

    def spread(self):
        return self.numbers[-1] - self.numbers[0] if self.numbers else 0
