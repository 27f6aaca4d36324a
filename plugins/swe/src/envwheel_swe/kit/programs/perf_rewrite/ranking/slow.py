class Ranking:
    """Players and their scores, whole numbers from 0 to 999999; the higher the better.

    - set(player, score): a new player, or a new score for one that is there.
    - drop(player): the player is gone; nothing happens when there is none.
    - rank(player): 1 and the number of players with a higher score; None when the player is not there.
    - at_least(score): how many players have this score or a higher one.
    """

    def __init__(self):
        self.scores = {}

    def set(self, player, score):
        self.scores[player] = score

    def drop(self, player):
        self.scores.pop(player, None)

    def rank(self, player):
        if player not in self.scores:
            return None
        return 1 + sum(score > self.scores[player] for score in self.scores.values())

    def at_least(self, score):
        return sum(other >= score for other in self.scores.values())
