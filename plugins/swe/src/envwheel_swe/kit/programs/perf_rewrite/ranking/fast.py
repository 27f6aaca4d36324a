class Ranking:
    """Players and their scores, whole numbers from 0 to 999999; the higher the better.

    - set(player, score): a new player, or a new score for one that is there.
    - drop(player): the player is gone; nothing happens when there is none.
    - rank(player): 1 and the number of players with a higher score; None when the player is not there.
    - at_least(score): how many players have this score or a higher one.
    """

    def __init__(self):
        self.scores = {}
        self.tree = [0] * (1 << 20)  # sums over scores, after Fenwick; score s has the place 1000000 - s

    def _add(self, score, count):
        at = 1000000 - score
        while at < len(self.tree):
            self.tree[at] += count
            at += at & -at

    def set(self, player, score):
        self.drop(player)
        self.scores[player] = score
        self._add(score, 1)

    def drop(self, player):
        score = self.scores.pop(player, None)
        if score is not None:
            self._add(score, -1)

    def rank(self, player):
        if player not in self.scores:
            return None
        return 1 + self.at_least(self.scores[player] + 1)

    def at_least(self, score):
        at, count = 1000000 - score, 0
        while at > 0:
            count += self.tree[at]
            at -= at & -at
        return count
